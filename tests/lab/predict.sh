#!/usr/bin/env bash
# Compares what a real kernel does with the new threads of a program with what the model of its rule predicts.
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

threads=8
seconds=0.3

usage() {
    cat << USAGE
Usage: predict.sh [OPTION...] TOPOLOGY
Runs a program with computing threads in a guest of TOPOLOGY (n2, zen32, nps2x2), pinned and unpinned, and compares node
counts and the number of CPUs used, as sched_wakeup_new shows them, with the plan of the kernel's rule for the CPU the
creator was on. Prints in how many runs they agree, and what differed in the others.

  --kernel NAME   ${kernel_names[*]} (default 6.1)
  --runs N        runs of each kind (default 20)
  --check         exit status 1 unless most runs of each kind agree
  --icount        passed to lab.sh, as --timeout S and --accel NAME
LAB_RESULTS       keep the traces of all runs in this folder
USAGE
}

kernel=6.1
runs=20
check=()
lab_options=()
while (($#)); do
    case $1 in
        --kernel | --runs | --timeout | --accel) (($# > 1)) || usage_error "$1 needs a value" ;;&
        --kernel) kernel=$2 && shift ;;
        --runs) runs=$2 && shift ;;
        --timeout | --accel) lab_options+=("$1" "$2") && shift ;;
        --icount) lab_options+=("$1") ;;
        --check) check=(--check) ;;
        --help | -h) usage && exit 0 ;;
        -*) usage_error "no option $1; see --help" ;;
        *) break ;;
    esac
    shift
done
(($# == 1)) || usage_error "one topology is needed; see --help"
topology=$1
[[ $runs =~ ^[1-9][0-9]*$ ]] || usage_error "--runs takes a whole number, not '$runs'"

# As many CPUs on each node, and where a node has several LLCs each CPU in another one.
case $topology in
    n2) cpus=0,1,4,5 threads=4 ;;
    zen32) cpus=0,4,8,12,16,20,24,28 ;;
    nps2x2) cpus=0,2,4,6,8,10,12,14 ;;
    *) usage_error "no mask for the topology '$topology'; there are: n2 zen32 nps2x2" ;;
esac
# Which rule a kernel has is a matter of its stable fixes, not of its series; see docs/lab.md.
case $kernel in
    5.10.218) rule=5.5 ;;
    5.10) rule=5.10.261 ;;
    6.1 | 6.12) rule=6.19 ;;
    *) usage_error "no rule for the kernel '$kernel'; there are: ${kernel_names[*]}" ;;
esac
require_built pinwise spin_threads prediction_table
make_results_folder
rm -f "$LAB_RESULTS"/{pinned,unpinned}-*.{threads,trace,report}
status=0
"$lab_dir/lab.sh" --kernel "$kernel" "${lab_options[@]}" "$topology" -- \
    "$lab_dir/guest/prediction-runs.sh" "$cpus" "$threads" "$seconds" "$runs" "$rule" "${check[@]}" || status=$?
[[ ! -f $LAB_RESULTS/kernel ]] || echo "$topology (emulated), $threads threads, Linux $(< "$LAB_RESULTS/kernel")"
exit "$status"
