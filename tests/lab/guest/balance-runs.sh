#!/usr/bin/env bash
# The experiment of balance.sh in its guest: balance-runs.sh SECONDS REPETITIONS JOBS... Leaves the
# results in $LAB_RESULTS/run.
set -euo pipefail
seconds=$1
repetitions=$2
shift 2
guest_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
node0=$(< /sys/devices/system/node/node0/cpulist)
crowd=$((2 * $(nproc) / $(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' | wc -l)))

# The kernel's balancing of pages would bring jobs and pages together in its own way.
echo 0 > /proc/sys/kernel/numa_balancing
# A guest is as fast as its host lets it be at the time, so a short run says how much work fills the seconds.
us_of_sweeps() { # SWEEPS
    local start_us=${EPOCHREALTIME/[^0-9]/}
    pinwise-numa_test --size 256KiB --sweeps "$1" --disturb none > /dev/null
    echo $((${EPOCHREALTIME/[^0-9]/} - start_us))
}
beginning_us=$(us_of_sweeps 100) # what takes time at any length
trial_sweeps=1000
trial_us=$(($(us_of_sweeps $((trial_sweeps + 100))) - beginning_us))
((trial_us > 0)) || trial_us=1000000
# Jobs share the host's CPUs, which are fewer: the more jobs, the less each does.
sweeps_of() { # JOBS
    echo $((trial_sweeps * seconds * 1000000 * $(nproc) / trial_us / $1 + 1))
}
sweeps=()
for count in "$@"; do sweeps+=("$(sweeps_of "$count")"); done
list() { # NUMBER...
    local IFS=,
    echo "$*"
}

uname -r -v > "$LAB_RESULTS/kernel"
config=$LAB_RESULTS/balance.toml
sed -e "s/JOBS/$(list "$@")/" -e "s/SWEEPS/$(list "${sweeps[@]}")/" -e "s/NODE0/$node0/" -e "s/CROWD/$crowd/" \
    "$guest_dir/balance.toml" > "$config"
pinwise run "$config" --quiet --seed 1 --repetitions "$repetitions" -o "$LAB_RESULTS/run"
