#!/usr/bin/env bash
# Shows on an emulated machine what becomes of many jobs when a node is crowded for a while: under the kernel, placed, and
# placed with the balancer.
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

usage() {
    cat << USAGE
Usage: balance.sh [OPTION...] TOPOLOGY
Runs numa_test with a job for each CPU, undisturbed and with twice as many threads as CPUs on node 0 for three seconds, under the
OS default, --policy idlest, and idlest with --balance, and prints where the jobs were.

  --kernel NAME   ${kernel_names[*]} (default 6.1)
  --seconds N     how long the jobs are, about (default 15; they have to outlive the crowd by some seconds)
  --check         exit status 1 unless with the balancer every job ended on its home node, and was there at least as much as
                  under the OS default
  --timeout S     passed to lab.sh
LAB_RESULTS       keep the results folder in this folder
USAGE
}

kernel=6.1
seconds=15
check=
lab_options=()
while (($#)); do
    case $1 in
        --kernel | --seconds | --timeout) (($# > 1)) || usage_error "$1 needs a value" ;;&
        --kernel) kernel=$2 && shift ;;
        --seconds) seconds=$2 && shift ;;
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
for program in pinwise pinwise-numa_test spin_threads balance_table; do
    [[ -x $build_dir/bin/$program ]] ||
        unavailable "$program is not in $build_dir; build it with: cmake --preset release && cmake --build --preset release"
done

if [[ -z ${LAB_RESULTS-} ]]; then
    LAB_RESULTS=$(mktemp -d)
    trap 'rm -rf "$LAB_RESULTS"' EXIT
fi
export LAB_RESULTS
mkdir -p "$LAB_RESULTS"
rm -rf "$LAB_RESULTS/run"
"$lab_dir/lab.sh" --kernel "$kernel" "${lab_options[@]}" "$1" -- "$lab_dir/guest/balance-runs.sh" "$seconds"
echo "$1 (emulated), Linux $(< "$LAB_RESULTS/kernel")"
"$build_dir/bin/balance_table" "$LAB_RESULTS/run/trials.csv" ${check:+--check}
