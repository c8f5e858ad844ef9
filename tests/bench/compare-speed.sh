#!/usr/bin/env bash
# How fast `pinwise compare` and `pinwise validate` are: a million rows (250000 trials of 4 metrics under 4 strategies),
# and the bootstrap of 20 strategies with 50 metrics and 30 trials each. Prints times and peak memory; judges nothing.
# On a busy machine the CPU time is what counts: both are one thread.
#   tests/bench/compare-speed.sh [PATH OF pinwise]
set -euo pipefail
pinwise=${1:-build/release/bin/pinwise}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

header='schema,trial,repetition,position,workload,parameters,threads,cpus,mask,policy,bind,memory,metric,value,unit,better,status,reason,start_counts,most_threads_on_one_cpu,llcs_used,first_cpu_means,migrations,affinity_kept,mem_policy'

# strategies, metrics, trials of each strategy
make_table() {
    awk -v strategies="$1" -v metrics="$2" -v trials="$3" -v header="$header" 'BEGIN {
        srand(1); printf "%s\r\n", header
        for (repetition = 1; repetition <= trials; ++repetition) for (s = 0; s < strategies; ++s) {
            ++trial
            for (m = 1; m <= metrics; ++m)
                printf "1,%d,%d,%d,stream,size=auto llc_bytes=512000000 ntimes=10 stores=auto thp=default,8,one-per-thread,\"0,16,32,48,64,80,96,112\",%s,%s,first-touch,Metric%d,%.4f,MB/s,higher,ok,,{4}{4},1,8,agent,3,yes,ok\r\n",
                    trial, repetition, trial, s ? "idlest@5." s : "os", s ? "cpu" : "none", m, 100000 + 5000 * rand() * (1 + s)
        }
    }'
}

measure() {
    /usr/bin/time -f "  $1: %e s wall, %U s user, %S s system, %M KiB at most" "$pinwise" "$1" "$folder/trials.csv" > "$folder/out"
}

describe() {
    echo "$1: $(($(wc -l < "$folder/trials.csv") - 1)) rows, $(du -m "$folder/trials.csv" | cut -f1) MB"
}

make_table 4 4 62500 > "$folder/trials.csv"
describe 'a million rows'
measure compare
measure validate
make_table 20 50 30 > "$folder/trials.csv"
describe 'bootstrap of 20 strategies x 50 metrics x 30 trials'
measure compare
