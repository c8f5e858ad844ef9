#!/usr/bin/env bash
# Runs workloads whose main thread touches all data first, with page-migration scanning off, unstaggered and staggered:
# scan-runs.sh WORKLOAD... (stream, cg). Leaves WORKLOAD-MODE.{json,scan.json} in $LAB_RESULTS. The scans are smaller and more
# frequent than usual, so that a minute shows what otherwise takes many, and granules are large: a hint fault takes milliseconds
# in an emulated machine, a thousand times what it takes on a real one, and scanning pays 32 times its time in rest. Nor do costs decide what is moved.
set -euo pipefail

threads=4
scan_options=(--scan-size 16 --scan-delay 300 --scan-horizon 1000)

run() { # WORKLOAD MODE GRANULE COMMAND...
    local name=$1-$2
    OMP_WAIT_POLICY=passive pinwise exec --policy spread --bind cpu --scan "$2" --scan-granule "$3" "${scan_options[@]}" --scan-log "$LAB_RESULTS/$name.scan.json" \
        -- "${@:4}" --threads "$threads" --touch master --thp off --json "$LAB_RESULTS/$name.json" > "$LAB_RESULTS/$name.txt" || {
        echo "FAILED $name: exit status $?"
        return 1
    }
    echo "ok $name verified its result"
}

echo 0 > /proc/sys/kernel/numa_balancing
for workload in "$@"; do
    case $workload in
        stream)
            run stream off 2M pinwise-stream --size 24MiB --ntimes 3
            for mode in unstaggered staggered; do run stream "$mode" 2M pinwise-stream --size 24MiB --ntimes 200; done
            ;;
        cg) for mode in unstaggered staggered; do run cg "$mode" 256K npb-cg --class A; done ;;
    esac
done
