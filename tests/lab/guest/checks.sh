#!/usr/bin/env bash
# Everything that is checked in one boot of a topology. Prints a line per check; exit status 1 when one fails.
# shellcheck disable=SC2317  # the checks are called by name
set -uo pipefail
guest_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=trace.sh
. "$guest_dir/trace.sh"
work=$LAB_RESULTS
failures=0

check() { # NAME COMMAND...: its output is shown when it fails
    local name=$1
    shift
    if "$@" > "$work/$name.log" 2>&1; then
        echo "ok $name"
    else
        echo "FAILED $name"
        sed 's/^/    /' "$work/$name.log"
        failures=$((failures + 1))
    fi
}

topology() {
    pinwise topo --format json > "$work/topology.json" &&
        check_topology "$guest_dir/../topologies.toml" "$LAB_TOPOLOGY" "$work/topology.json"
}

# The text form is for people: a node without CPUs has to be visible in it.
topology_text() {
    pinwise topo > "$work/topology.txt" || return 1
    grep -qE "^NUMA nodes: +$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' | wc -l)$" "$work/topology.txt" || return 1
    local node
    for node in /sys/devices/system/node/node*; do
        [[ -n $(< "$node/cpulist") ]] || grep -qE "^ +node ${node##*node} .*no CPUs" "$work/topology.txt" || return 1
    done
}

# The kernel tells of each thread, but the first, where it put it when it was new.
tracepoints() {
    trace_open spin_threads && trace_start && spin_threads 4 0.2 > "$work/spin.threads" && trace_stop "$work/spin.trace" || return 1
    local tid
    while read -r tid _; do
        grep -qE "sched_wakeup_new: comm=spin_threads pid=$tid .* target_cpu=[0-9]+" "$work/spin.trace" || return 1
    done < <(tail -n +3 "$work/spin.threads")
}

stream_verifies() {
    pinwise-stream --threads "$(nproc)" --size 8MiB --json "$work/stream.json"
}

# The kernel's balancing of pages would move what a check has just placed.
echo 0 > /proc/sys/kernel/numa_balancing
uname -r -v
check topology topology
check topology_text topology_text
check pages check_pages
check tracepoints tracepoints
check stream_verifies stream_verifies
exit $((failures > 0))
