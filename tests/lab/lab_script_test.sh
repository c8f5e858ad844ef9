#!/usr/bin/env bash
# Tests lab.sh without a guest: a script stands in for QEMU, a folder with empty files for the cache.
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PINWISE_LAB_CACHE=$work/cache PINWISE_LAB_QEMU="$work/qemu" TMPDIR=$work/tmp QEMU_LOG=$work/qemu.log
export LAB_RESULTS=$work/results
mkdir -p "$PINWISE_LAB_CACHE/kernels/6.1" "$TMPDIR"
echo "linux-image-fake 6.1-1" > "$PINWISE_LAB_CACHE/kernels/6.1/version"

# QEMU_DIES: how often it dies before the command starts. QEMU_ENDS=after_start: dies then. QEMU_SLEEPS: never ends.
cat > "$PINWISE_LAB_QEMU" << 'QEMU'
#!/usr/bin/env bash
[[ $1 != --version ]] || { echo "QEMU emulator version 7.2.22" && exit 0; }
printf '%s\n' "$@" > "$QEMU_LOG"
echo boot >> "$QEMU_LOG.boots"
(($(wc -l < "$QEMU_LOG.boots") > ${QEMU_DIES:-0})) || exit 1
control=$(printf '%s\n' "$@" | sed -n 's/.*path=\(.*\),mount_tag=control.*/\1/p')
echo $$ > "$QEMU_LOG.pid"
[[ -z ${QEMU_SLEEPS-} ]] || exec sleep 100
touch "$control/started"
[[ ${QEMU_ENDS-} != after_start ]] || exit 1
. "$control/variables"
bash "$control/command" > "$control/stdout" 2> "$control/stderr"
echo $? > "$control/status"
QEMU
chmod +x "$PINWISE_LAB_QEMU"

failures=0
lab() { # EXPECTED_STATUS ARGUMENT...
    local expected=$1 status=0
    shift
    rm -f "$QEMU_LOG" "$QEMU_LOG.boots"
    "$lab_dir/lab.sh" "$@" > "$work/out" 2> "$work/err" || status=$?
    verify "lab.sh $* ends with $expected (found $status: $(head -n 1 "$work/err"))" test "$status" == "$expected"
    verify "lab.sh $* leaves nothing behind" test -z "$(ls -A "$TMPDIR")"
}
verify() { # WHAT COMMAND...
    "${@:2}" || { echo "FAILED: $1" && failures=$((failures + 1)); }
}
says() { verify "stderr has '$1', found: $(< "$work/err")" grep -qF -- "$1" "$work/err"; }
prints() { verify "stdout is '$1', found: $(< "$work/out")" test "$(< "$work/out")" == "$1"; }
boots() { verify "$1 boots" test "$(wc -l < "$QEMU_LOG.boots")" == "$1"; }
asks_qemu() { verify "QEMU gets '$1'" grep -qFx -- "$1" "$QEMU_LOG"; }

lab 7 n2 -- 'echo out; echo err >&2; exit 7'
prints out
says err
# shellcheck disable=SC2016  # the guest must not expand it either
lab 0 n2 -- printf '%s|' 'a b' '$HOME' "it's"
prints "a b|\$HOME|it's|"
lab 0 n2 -- "echo kept > \"\$LAB_RESULTS/file\""
verify "results reach the host" grep -qx kept "$LAB_RESULTS/file"

QEMU_DIES=2 lab 0 n2 -- echo late
boots 3
prints late
QEMU_DIES=9 lab 125 n2 -- true
boots 3
QEMU_ENDS=after_start lab 125 n2 -- true
boots 1
says "while the command ran"
QEMU_SLEEPS=1 lab 124 --timeout 5 n2 -- true
boots 1
says "after 5 s, before the command started"

QEMU_SLEEPS=1 lab 125 --boot-timeout 1 n2 -- true
boots 3
says "boot 3 of n2 ended before the command started"

# Whatever ends the script ends the guest.
ends_guest() { # SIGNAL
    local script tries=0
    rm -f "$QEMU_LOG".*
    QEMU_SLEEPS=1 "$lab_dir/lab.sh" n2 -- true > /dev/null 2>&1 &
    script=$!
    until [[ -s $QEMU_LOG.pid ]] || ((++tries > 300)); do sleep 0.1; done
    kill "-$1" "$script"
    wait "$script" 2> /dev/null || true
    tries=0
    while kill -0 "$(< "$QEMU_LOG.pid")" 2> /dev/null && ((++tries < 100)); do sleep 0.1; done
    verify "SIG$1 ends the guest" test "$tries" -lt 100
}
ends_guest TERM
verify "SIGTERM leaves nothing behind" test -z "$(ls -A "$TMPDIR")"
ends_guest KILL
rm -rf "${TMPDIR:?}"/*

lab 0 cxl -- true
asks_qemu "8,sockets=2,dies=1,cores=4,threads=1"
asks_qemu "3G"
asks_qemu "node,nodeid=1,memdev=memory1,cpus=4-7"
asks_qemu "node,nodeid=2,memdev=memory2"
asks_qemu "dist,src=2,dst=1,val=34"
asks_qemu "tcg,thread=multi,tb-size=512"
lab 0 asym4 -- true
asks_qemu "dist,src=1,dst=3,val=22"
asks_qemu "dist,src=3,dst=1,val=25"
verify "each pair of nodes has a distance" test "$(grep -c '^dist,' "$QEMU_LOG")" == 12

lab 2
lab 2 n3 -- true
says "no topology 'n3'; there are: uma4 n2"
lab 2 n2 true
lab 2 n2 --
lab 2 --kernel 4.19 n2 -- true
says "no kernel '4.19'; there are: 5.10.218"
lab 2 --timeout soon n2 -- true
lab 2 --accel xen n2 -- true
lab 2 --kernel
lab 2 --fast n2 -- true
says "no option --fast"

lab 77 --kernel 6.12 n2 -- true
says "fetch it with: bash $lab_dir/fetch-kernels.sh 6.12"
lab 77 --icount n2 -- true
says "needs QEMU 10"
PINWISE_LAB_QEMU=$work/absent lab 77 n2 -- true
says "apt-get install --no-install-recommends qemu-system-x86"

lab 0 --list
verify "every topology is listed" test "$(wc -l < "$work/out")" == "$(grep -c '^\[' "$topologies_file")"
((failures == 0)) || exit 1
