#!/usr/bin/env bash
# Shows on an emulated 2-socket machine where a real kernel starts the threads of a program, and where the placer does.
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

topology=zen32
cpus=0,4,8,12,16,20,24,28 # in four LLCs of each socket one CPU
threads=8
seconds=1.5

usage() {
    cat << USAGE
Usage: demo.sh [OPTION...]
Runs a program with $threads computing threads on the CPUs $cpus of the topology $topology (2 sockets x 8 LLCs x 2 CPUs),
placed by the kernel and by pinwise exec --policy idlest (with and without --bind cpu) in turn, and prints where the
threads began and how often they moved.

  --kernel NAME   ${kernel_names[*]} (default 5.10.218, which stacks threads)
  --runs N        runs of each arm (default 10)
  --check         exit status 1 unless the table is as docs/lab.md says for this kernel
  --icount        passed to lab.sh, as --timeout S and --accel NAME
LAB_RESULTS       keep the traces of all runs in this folder
USAGE
}

kernel=5.10.218
runs=10
check=
lab_options=()
while (($#)); do
    case $1 in
        --kernel | --runs | --timeout | --accel) (($# > 1)) || usage_error "$1 needs a value" ;;&
        --kernel) kernel=$2 && shift ;;
        --runs) runs=$2 && shift ;;
        --timeout | --accel) lab_options+=("$1" "$2") && shift ;;
        --icount) lab_options+=("$1") ;;
        --check) check=yes ;;
        --help | -h) usage && exit 0 ;;
        *) usage_error "no option $1; see --help" ;;
    esac
    shift
done
[[ $runs =~ ^[1-9][0-9]*$ ]] || usage_error "--runs takes a whole number, not '$runs'"
require_built pinwise spin_threads placement_table
make_results_folder
rm -f "$LAB_RESULTS"/{os,idlest,idlest_cpu}-*.{threads,trace}
"$lab_dir/lab.sh" --kernel "$kernel" "${lab_options[@]}" "$topology" -- \
    "$lab_dir/guest/placement-runs.sh" "$cpus" "$threads" "$seconds" "$runs"

# Which rule a kernel has is a matter of its stable fixes, not of its series; see docs/lab.md.
case $kernel in
    5.10.218) expectation=stacking ;;
    *) expectation=spreading ;;
esac
echo "$topology (emulated), $threads threads on CPUs $cpus, Linux $(< "$LAB_RESULTS/kernel")"
"$build_dir/bin/placement_table" "$LAB_RESULTS" ${check:+--expect "$expectation"}
