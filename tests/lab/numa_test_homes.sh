#!/usr/bin/env bash
# Runs numa_test on an emulated machine of several nodes and shows how much of their time jobs spent on the node they
# began on, and when those that a disturbance had pushed away were back.
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

usage() {
    cat << USAGE
Usage: numa_test_homes.sh [OPTION...] TOPOLOGY
Runs the experiment guest/numa_test.toml in a guest of TOPOLOGY (n2: 2 nodes, 8 CPUs; nps4: 4 nodes, 16 CPUs): 8 and 16
jobs, with and without hackbench as a disturbance, under the OS default, idlest, and idlest with the balancer in turn.
Prints the comparison and, for each strategy, medians over the trials: share of the initial node, jobs that moved or
ended elsewhere, time until all were back.

  --kernel NAME     ${kernel_names[*]} (default 6.1)
  --repetitions N   trials of every strategy (default 3)
  --check           exit status 1 unless every trial is complete: verified, the times of every job on each node known
  --timeout S       passed to lab.sh, as --accel NAME
LAB_RESULTS         keep the results folder of the run (numa_test) in this folder
USAGE
}

kernel=6.1
repetitions=3
check=()
lab_options=(--timeout 3000)
while (($#)); do
    case $1 in
        --kernel | --repetitions | --timeout | --accel) (($# > 1)) || usage_error "$1 needs a value" ;;&
        --kernel) kernel=$2 && shift ;;
        --repetitions) repetitions=$2 && shift ;;
        --timeout | --accel) lab_options+=("$1" "$2") && shift ;;
        --check) check=(--check) ;;
        --help | -h) usage && exit 0 ;;
        -*) usage_error "no option $1; see --help" ;;
        *) break ;;
    esac
    shift
done
(($# == 1)) || usage_error "one topology is needed; see --help"
topology=$1
[[ $repetitions =~ ^[1-9][0-9]*$ ]] || usage_error "--repetitions takes a whole number, not '$repetitions'"
require_built pinwise pinwise-numa_test pinwise-hackbench numa_test_table
make_results_folder
rm -rf "$LAB_RESULTS/numa_test"
"$lab_dir/lab.sh" --kernel "$kernel" "${lab_options[@]}" "$topology" -- \
    pinwise run "$lab_dir/guest/numa_test.toml" --repetitions "$repetitions" --output "$LAB_RESULTS/numa_test"
echo
echo "$topology (emulated), Linux $(kernel_version "$kernel")"
"$build_dir/bin/numa_test_table" "$LAB_RESULTS/numa_test" "${check[@]}"
