#!/usr/bin/env bash
# The runs of demo.sh in its guest: placement-runs.sh CPUS THREADS SECONDS RUNS. The arms alternate, so that whatever else
# happens in the guest or on the host meets both alike.
set -euo pipefail
# shellcheck source=trace.sh
. "$(dirname "${BASH_SOURCE[0]}")/trace.sh"
cpus=$1 threads=$2 seconds=$3 runs=$4

run_arm() { # ARM RUN COMMAND...: leaves ARM-RUN.threads and ARM-RUN.trace
    local files
    files=$LAB_RESULTS/$1-$(printf %02d "$2")
    trace_start
    "${@:3}" spin_threads "$threads" "$seconds" > "$files.threads"
    trace_stop "$files.trace"
}

uname -r -v > "$LAB_RESULTS/kernel"
pinwise topo --format json > "$LAB_RESULTS/topology.json"
trace_open spin_threads
for run in $(seq "$runs"); do
    run_arm os "$run" taskset -c "$cpus"
    run_arm idlest "$run" pinwise exec -C "$cpus" --policy idlest --
    run_arm idlest_cpu "$run" pinwise exec -C "$cpus" --policy idlest --bind cpu --
    echo "run $run of $runs" >&2
done
