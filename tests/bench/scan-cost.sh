#!/usr/bin/env bash
# What page-migration scanning costs a program whose memory is all local: its CPU time (user and system, of pinwise too) with
# and without, in turns, and apart from it what starting costs. Prints medians; judges nothing.
#   tests/bench/scan-cost.sh [--pairs N] [--scan "OPTIONS OF pinwise exec"]... -- PROGRAM...
set -euo pipefail
pinwise=${PINWISE:-build/release/bin/pinwise}
pairs=7
scans=()
while (($#)); do
    case $1 in
        --pairs) pairs=$2 && shift ;;
        --scan) scans+=("--scan staggered --scan-anyway $2") && shift ;;
        --) shift && break ;;
        *) echo "scan-cost.sh: no option $1; its first lines tell how to use it" >&2 && exit 2 ;;
    esac
    shift
done
(($#)) || { echo "scan-cost.sh: which program?" >&2 && exit 2; }
((${#scans[@]})) || scans=("--scan staggered --scan-anyway")
scans=("--scan off" "${scans[@]}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cpu_time() { # SCAN OPTIONS, PROGRAM...: seconds of CPU time
    local TIMEFORMAT='%U %S'
    # shellcheck disable=SC2086  # a list of words
    { time "$pinwise" exec $1 -- "${@:2}" > /dev/null 2> "$folder/errors" || cat "$folder/errors" > /dev/tty; } 2>&1 |
        awk '{ print $1 + $2 }'
}

# A line of CPU times per pair, one of each way to scan; every second pair runs in the other order.
measure() { # NAME, PROGRAM...
    local pair place i last=$((${#scans[@]} - 1))
    local times=()
    for ((pair = 0; pair < pairs; ++pair)); do
        for ((place = 0; place <= last; ++place)); do
            i=$((pair % 2 ? last - place : place))
            times[i]=$(cpu_time "${scans[i]}" "${@:2}")
        done
        echo "${times[*]}"
    done > "$folder/$1"
}

median() { sort -g | awk '{ value[NR] = $1 } END { print (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'; }
column() { awk -v column="$2" '{ print $column }' "$folder/$1" | median; }
# Medians of differences within a pair, so that what the machine does otherwise falls out.
more() { awk -v column="$2" '{ print $column - $1 }' "$folder/$1" | median; }

measure start true
measure run "$@"
off=$(column run 1)
echo "$*: $off s of CPU time without scanning, $pairs pairs"
for ((i = 1; i < ${#scans[@]}; ++i)); do
    start=$(more start $((i + 1)))
    awk -v off="$off" -v start="$start" -v more="$(more run $((i + 1)))" -v scan="${scans[i]}" 'BEGIN {
        printf "%s: start %+.3f s, then %+.3f s, which is %+.1f %%\n", scan, start, more - start, 100 * (more - start) / off }'
done
