#!/usr/bin/env bash
# Shows on an emulated machine with several nodes that memory follows the threads that use it.
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

usage() {
    cat << USAGE
Usage: scan.sh [--kernel NAME] [--workloads "stream cg"] [--check] TOPOLOGY
Runs STREAM and NPB's CG, whose main thread touches all data first, under pinwise exec --scan, staggered and not, and prints how
many pages are local at the start and at the end and what scanning did.

  --check           exit status 1 unless every result verified and at least 95 % of the threads' pages are local at the end
LAB_RESULTS         keep the documents of all runs in this folder
USAGE
}

kernel=6.1
workloads="stream cg"
check=
while (($#)); do
    case $1 in
        --kernel | --workloads) (($# > 1)) || usage_error "$1 needs a value" ;;&
        --kernel) kernel=$2 && shift ;;
        --workloads) workloads=$2 && shift ;;
        --check) check=yes ;;
        --help | -h) usage && exit 0 ;;
        -*) usage_error "no option $1; see --help" ;;
        *) break ;;
    esac
    shift
done
(($# == 1)) || usage_error "one topology, please; see --help"
for program in pinwise pinwise-stream npb-cg scan_table; do
    [[ -x $build_dir/bin/$program ]] ||
        unavailable "$program is not in $build_dir; build it with: cmake --preset release && cmake --build --preset release"
done

if [[ -z ${LAB_RESULTS-} ]]; then
    LAB_RESULTS=$(mktemp -d)
    trap 'rm -rf "$LAB_RESULTS"' EXIT
fi
export LAB_RESULTS
mkdir -p "$LAB_RESULTS"
rm -f "$LAB_RESULTS"/*.json
# shellcheck disable=SC2086  # a list of words
"$lab_dir/lab.sh" --kernel "$kernel" --timeout 1000 "$1" -- "$lab_dir/guest/scan-runs.sh" $workloads
echo "$1 (emulated), 4 threads, Linux $(kernel_version "$kernel")"
# shellcheck disable=SC2086
"$build_dir/bin/scan_table" ${check:+--check} "$LAB_RESULTS" $workloads
