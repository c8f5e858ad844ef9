#!/usr/bin/env bash
# Everything that is checked in one boot of a topology. Prints a line per check; exit status 1 when one fails.
# shellcheck disable=SC2317  # the checks are called by name
set -uo pipefail
guest_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../environment.sh
. "$guest_dir/../environment.sh"
# shellcheck source=trace.sh
. "$guest_dir/trace.sh"
work=$LAB_RESULTS
failures=0

check() { # NAME: of a function below; its output is shown when it fails
    local name=$1
    if "$name" > "$work/$name.log" 2>&1; then
        echo "ok $name"
    else
        echo "FAILED $name"
        sed 's/^/    /' "$work/$name.log"
        failures=$((failures + 1))
    fi
}

topology() {
    pinwise topo --format json > "$work/topology.json" &&
        check_topology "$topologies_file" "$LAB_TOPOLOGY" "$work/topology.json"
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

pages() { check_pages; }

# The kernel tells of each thread, but the first, where it put it when it was new.
tracepoints() {
    trace_open spin_threads && trace_start && spin_threads 4 0.2 > "$work/spin.threads" && trace_stop "$work/spin.trace" || return 1
    local tid
    while read -r tid _; do
        grep -qE "sched_wakeup_new: comm=spin_threads pid=$tid .* target_cpu=[0-9]+" "$work/spin.trace" || return 1
    done < <(tail -n +3 "$work/spin.threads")
}

no_instance_is_left() { ! compgen -G "/sys/kernel/tracing/instances/pinwise-*"; }

# By the kernel's tracepoints, and however the program or pinwise ends the instance goes; that of a killed pinwise with the
# next one.
trace_records() {
    pinwise trace --record --raw "$work/record.trace" --format json -o "$work/record.json" -- spin_threads 4 0.2 || return 1
    grep -qE '"source": "recorded by the kernel' "$work/record.json" && grep -qE '"created": 4,' "$work/record.json" || return 1
    pinwise trace "$work/record.trace" --comm spin_threads > "$work/reread.txt" || return 1
    grep -E '^initial: .* 5 threads' "$work/reread.txt" && no_instance_is_left || return 1
    local status=0 signal
    pinwise trace --record -- bash -c 'kill -SEGV $$' || status=$?
    [[ $status == 139 ]] && no_instance_is_left || return 1
    for signal in TERM KILL; do
        pinwise trace --record -- spin_threads 2 30 &
        until compgen -G "/sys/kernel/tracing/instances/pinwise-$!"; do sleep 0.1; done
        until pgrep -P $! spin_threads; do sleep 0.1; done
        kill "-$signal" "$!"
        wait "$!"
        [[ $signal == KILL ]] || no_instance_is_left || return 1
        pkill -P 1 spin_threads # a killed pinwise leaves its program
    done
    pinwise trace --record -- true && no_instance_is_left
}

node_of() { # CPU
    local link
    link=$(echo "/sys/devices/system/cpu/cpu$1"/node*)
    echo "${link##*/node}"
}

# Where the NUMA level does not balance at fork, no new thread leaves its creator's node; the model knows it.
new_threads_stay_on_their_node() {
    trace_start && spin_threads 8 0.5 > "$work/stay.threads" && trace_stop "$work/stay.trace" || return 1
    local creator target seen=0
    creator=$(node_of "$(awk 'NR == 2 { print $3 }' "$work/stay.threads")")
    while read -r target; do
        seen=$((seen + 1))
        [[ $(node_of "$((10#$target))") == "$creator" ]] || return 1
    done < <(sed -n 's/.*sched_wakeup_new: .* target_cpu=\([0-9]*\).*/\1/p' "$work/stay.trace")
    ((seen >= 7)) && pinwise place --threads 8 --policy idlest --waker 0 | grep -F '{8}{0}'
}

stream_verifies() {
    OMP_WAIT_POLICY=passive pinwise-stream --threads "$(($(nproc) < 8 ? $(nproc) : 8))" --size 8MiB --ntimes 3 --json "$work/stream.json"
}

# A result from here has to say where it comes from, in its record and in its tables.
results_are_labelled() {
    pinwise run "$guest_dir/labelled.toml" --quiet -o "$work/run" > "$work/run.txt" || return 1
    cat "$work/run.txt"
    grep -qE '"machine_kind": *"emulated"' "$work/run/machine.json" && grep -q '^EMULATED MACHINE' "$work/run.txt" || return 1
    grep -q 'first CPU from .*tracepoint' "$work/run.txt"
}

# Every node with CPUs against every node with memory, and the arrays are where the strategy says: all sampled pages on one
# node, a node without CPUs included.
node_matrix() {
    pinwise run "$guest_dir/node-matrix.toml" --quiet -o "$work/matrix" > "$work/matrix.txt" || return 1
    cat "$work/matrix.txt"
    local cpu_nodes=0 memory_nodes=0 node
    for node in /sys/devices/system/node/node[0-9]*; do
        [[ -z $(< "$node/cpulist") ]] || cpu_nodes=$((cpu_nodes + 1))
        grep -qE 'MemTotal: +0 kB' "$node/meminfo" || memory_nodes=$((memory_nodes + 1))
        [[ -n $(< "$node/cpulist") ]] || grep -q "^node ${node##*node}: memory only" "$work/matrix.txt" || return 1
    done
    grep -q '^EMULATED MACHINE' "$work/matrix.txt" || return 1
    [[ $(grep -cE '^CPUs [0-9]' "$work/matrix.txt") == $((4 * cpu_nodes)) ]] || return 1
    python3 "$guest_dir/check_node_matrix.py" "$work/matrix" $((cpu_nodes * memory_nodes))
}

# The kernel's balancing of pages would move what a check has just placed.
echo 0 > /proc/sys/kernel/numa_balancing
# Newer kernels show their sched domains only when asked to.
if [[ -w /sys/kernel/debug/sched/verbose ]]; then echo Y > /sys/kernel/debug/sched/verbose; fi
uname -r -v
check topology
check topology_text
check pages
check tracepoints
check trace_records
if [[ $(topology_field "$LAB_TOPOLOGY" fork) == *no ]]; then
    check new_threads_stay_on_their_node
fi
check stream_verifies
check results_are_labelled
check node_matrix
exit $((failures > 0))
