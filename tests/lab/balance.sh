#!/usr/bin/env bash
# Shows on an emulated machine what becomes of many jobs when a node is crowded for a while: under the kernel, placed, and
# placed with the balancer.
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

usage() {
    cat << USAGE
Usage: balance.sh [OPTION...] TOPOLOGY
Runs numa_test, undisturbed and with twice as many threads as CPUs on node 0 for two seconds, under the OS default, --policy idlest, and idlest with --balance, and prints where the jobs were: medians over the trials.

  --kernel NAME   ${kernel_names[*]} (default 6.1)
  --jobs "N..."   numbers of jobs (default "8 16")
  --seconds N     how long the jobs are, about (default 15; they have to outlive the crowd by some seconds)
  --repetitions N trials of every strategy (default 3)
  --check         exit status 1 unless with the balancer jobs left the crowded node in every trial and all returned, no
                  more jobs than CPUs all ended at home, and jobs of a crowded machine were there at least as much as
                  under the OS default (medians, of three trials or more)
  --timeout S     passed to lab.sh
LAB_RESULTS       keep the results folder in this folder
USAGE
}

kernel=6.1
jobs="8 16"
seconds=15
repetitions=3
check=
lab_options=(--timeout 3000)
while (($#)); do
    case $1 in
        --kernel | --jobs | --seconds | --repetitions | --timeout) (($# > 1)) || usage_error "$1 needs a value" ;;&
        --kernel) kernel=$2 && shift ;;
        --jobs) jobs=$2 && shift ;;
        --seconds) seconds=$2 && shift ;;
        --repetitions) repetitions=$2 && shift ;;
        --timeout) lab_options+=("$1" "$2") && shift ;;
        --check) check=yes ;;
        --help | -h) usage && exit 0 ;;
        -*) usage_error "no option $1; see --help" ;;
        *) break ;;
    esac
    shift
done
(($# == 1)) || usage_error "name one topology; see --help"
[[ $seconds =~ ^[1-9][0-9]?$ ]] || usage_error "--seconds takes a whole number up to 99, not '$seconds'"
[[ $repetitions =~ ^[1-9][0-9]*$ ]] || usage_error "--repetitions takes a whole number, not '$repetitions'"
[[ $jobs =~ ^[1-9][0-9]*( [1-9][0-9]*)*$ ]] || usage_error "--jobs takes whole numbers, not '$jobs'"
require_built pinwise pinwise-numa_test spin_threads numa_test_table
make_results_folder
rm -rf "$LAB_RESULTS/run"
# shellcheck disable=SC2086  # a list of words
"$lab_dir/lab.sh" --kernel "$kernel" "${lab_options[@]}" "$1" -- \
    "$lab_dir/guest/balance-runs.sh" "$seconds" "$repetitions" $jobs
echo "$1 (emulated), Linux $(< "$LAB_RESULTS/kernel")"
"$build_dir/bin/numa_test_table" "$LAB_RESULTS/run" ${check:+--check-homes}
