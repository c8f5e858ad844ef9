#!/usr/bin/env bash
# The runs of predict.sh in its guest: prediction-runs.sh CPUS THREADS SECONDS RUNS RULE [--check]. Pinned and unpinned runs
# alternate; then the plan of this machine is compared with what the kernel did.
set -euo pipefail
cpus=$1 threads=$2 seconds=$3 runs=$4

run_mode() { # MODE RUN OPTION...: leaves MODE-RUN.threads and MODE-RUN.trace
    local files
    files=$LAB_RESULTS/$1-$(printf %02d "$2")
    pinwise trace --record "${@:3}" --raw "$files.trace" --output "$files.report" -- \
        spin_threads "$threads" "$seconds" > "$files.threads"
}

uname -r -v > "$LAB_RESULTS/kernel"
echo "$cpus" > "$LAB_RESULTS/pinned.cpus"
cat /sys/devices/system/cpu/online > "$LAB_RESULTS/unpinned.cpus"
# A creator with a preferred node would keep its threads there, which is not the rule that is compared.
echo 0 > /proc/sys/kernel/numa_balancing
for run in $(seq "$runs"); do
    run_mode pinned "$run" -C "$cpus"
    run_mode unpinned "$run"
    echo "run $run of $runs" >&2
done
prediction_table "$LAB_RESULTS" "${@:5}"
