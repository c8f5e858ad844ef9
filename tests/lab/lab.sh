#!/usr/bin/env bash
# Runs a command on an emulated multi-socket machine with a real kernel. The guest sees this system's files.
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

usage() {
    cat << USAGE
Usage: lab.sh [OPTION...] TOPOLOGY -- COMMAND...
Boots TOPOLOGY and runs COMMAND in the current folder of this system, whose files the guest sees as they are now; what it
writes stays in the guest, except in the folder \$LAB_RESULTS, which is the host's. The build's programs are in PATH.
One argument is a line for bash, several are a program and its arguments.

  --kernel NAME   ${kernel_names[*]} (default 6.1)
  --timeout S     end the guest after S seconds (default 600)
  --boot-timeout S  boot again when COMMAND has not started after S seconds (default 180), three times in all
  --accel NAME    tcg: software emulation (default); kvm: a KVM that opens may still not run a guest
  --icount        guest time counts instructions, so that the host's load does not show; needs QEMU 10
  --list          the topologies

TOPOLOGY: $(topology_names | paste -s -d ' ')
LAB_RESULTS         folder for results; without it one in the cache folder, whose name is printed
PINWISE_BUILD       the build to use (default build/release of the project)
PINWISE_LAB_CACHE   the cache folder ($cache_dir)
PINWISE_LAB_QEMU    another QEMU, with its options
Exit status: COMMAND's; 2 wrong usage; 77 something is not installed (named on stderr); 124 time limit; 125 the guest died.
USAGE
}

kernel=6.1
limit_s=600
boot_limit_s=180
accel=tcg
icount=
while (($#)); do
    case $1 in
        --kernel | --timeout | --boot-timeout | --accel)
            (($# > 1)) || usage_error "$1 needs a value"
            case $1 in
                --kernel) kernel=$2 ;;
                --timeout) limit_s=$2 ;;
                --boot-timeout) boot_limit_s=$2 ;;
                --accel) accel=$2 ;;
            esac
            shift
            ;;
        --icount) icount=yes ;;
        --list) topology_names && exit 0 ;;
        --help | -h) usage && exit 0 ;;
        -*) usage_error "no option $1; see --help" ;;
        *) break ;;
    esac
    shift
done
topology=${1-}
[[ -n $topology ]] || usage_error "no topology given; see --help"
[[ -n $(topology_field "$topology" smp) ]] || usage_error "no topology '$topology'; there are: $(topology_names | paste -s -d ' ')"
[[ ${2-} == -- && $# -gt 2 ]] || usage_error "TOPOLOGY must be followed by -- COMMAND"
[[ " ${kernel_names[*]} " == *" $kernel "* ]] || usage_error "no kernel '$kernel'; there are: ${kernel_names[*]}"
[[ $limit_s =~ ^[1-9][0-9]*$ ]] || usage_error "--timeout takes whole seconds, not '$limit_s'"
[[ $boot_limit_s =~ ^[1-9][0-9]*$ ]] || usage_error "--boot-timeout takes whole seconds, not '$boot_limit_s'"
[[ $accel == tcg || $accel == kvm ]] || usage_error "--accel is tcg or kvm, not '$accel'"
[[ -z $icount || $accel == tcg ]] || usage_error "--icount needs --accel tcg"
shift 2

read -r -a qemu <<< "${PINWISE_LAB_QEMU:-qemu-system-x86_64}"
require_program "${qemu[0]}" qemu-system-x86
require_program setpriv util-linux
kernel_dir=$cache_dir/kernels/$kernel
[[ -f $kernel_dir/version ]] ||
    unavailable "kernel $kernel is not in $cache_dir; fetch it with: bash $lab_dir/fetch-kernels.sh $kernel"
[[ $accel == tcg || -w /dev/kvm ]] || unavailable "/dev/kvm is not there or not writable; --accel tcg works everywhere"

qemu_version() { "${qemu[@]}" --version | sed -n 's/^QEMU emulator version \([0-9]*\).*/\1/p'; }

# One node: its memory, its CPUs if it has any.
node_arguments() { # NODE CPUS MEMORY
    local node="node,nodeid=$1,memdev=memory$1"
    [[ $2 == - ]] || node+=",cpus=$2"
    machine+=(-object "memory-backend-ram,id=memory$1,size=$3" -numa "$node")
}

distance_arguments() {
    local from=0 to row value rows values
    IFS=';' read -r -a rows <<< "$(topology_field "$topology" distances)"
    for row in "${rows[@]}"; do
        to=0
        read -r -a values <<< "$row"
        for value in "${values[@]}"; do
            ((from == to)) || machine+=(-numa "dist,src=$from,dst=$to,val=$value")
            to=$((to + 1))
        done
        from=$((from + 1))
    done
}

topology_arguments() {
    local cpus memory node
    read -r -a cpus <<< "$(topology_field "$topology" cpus)"
    read -r -a memory <<< "$(topology_field "$topology" memory)"
    machine+=(-smp "$(topology_field "$topology" smp)" -m "$(printf '%s\n' "${memory[@]}" | awk '{ sum += $1 } END { print sum "G" }')")
    for node in "${!cpus[@]}"; do node_arguments "$node" "${cpus[node]}" "${memory[node]}"; done
    distance_arguments
}

# TCG shows no LLC per die under an AMD name, hence the Intel one. The level hides the leaf with dies, over which QEMU 10 stops:
# Linux finds the LLCs without it. Guests that are offered MWAIT idle in a busy loop.
# QEMU 7.2 gathers wrongly (AVX2): npb-cg gives NaN.
processor_arguments() {
    local model="max,vendor=GenuineIntel,family=6,model=85,stepping=4,level=0x1e,xlevel=0x80000008"
    model+=",model-id=QEMU TCG CPU,l3-cache=on,-svm,-la57,-monitor,-avx2"
    case $accel$icount in
        tcg) machine+=(-accel "tcg,thread=multi,tb-size=512" -cpu "$model") ;;
        tcgyes) machine+=(-accel "tcg,thread=single" -icount "shift=4,sleep=off" -cpu "$model") ;;
        kvm) machine+=(-accel kvm -cpu "host,-arch-capabilities") ;;
    esac
}

boot_arguments() {
    local append="console=ttyS0 quiet panic=-1 mitigations=off apparmor=0 audit=0 nokaslr random.trust_cpu=on"
    append+=" tsc=reliable no_timer_check nowatchdog cryptomgr.notests"
    machine+=(-kernel "$kernel_dir/vmlinux" -initrd "$kernel_dir/initramfs" -append "$append"
        -display none -nic none -nodefaults -no-reboot -serial "file:$control/console"
        -virtfs "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"
        -virtfs "local,path=$control,mount_tag=control,security_model=none"
        -virtfs "local,path=$results,mount_tag=results,security_model=none")
}

# What the guest's first process in the host's files runs; see guest/session.
write_command() {
    if (($# == 1)); then printf '%s\n' "$1"; else printf '%q ' "$@"; fi > "$control/command"
    cat > "$control/variables" << VARIABLES
export LAB_RESULTS=$(printf %q "$results") LAB_TOPOLOGY=$topology LAB_KERNEL=$kernel
export PATH=$(printf %q "$build_dir/bin"):/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
working_dir=$(printf %q "$PWD")
VARIABLES
    cp "$lab_dir/guest/session" "$control/session"
}

# shellcheck disable=SC2317  # called by the traps
end_guest() {
    [[ -z $guest ]] || kill "$guest" 2> /dev/null || true
    wait
    guest=
}

# A guest that hangs while it boots would take the whole time limit.
end_hung_boot() {
    local end_s=$((SECONDS + boot_limit_s))
    while [[ ! -f $control/started ]] && kill -0 "$guest" 2> /dev/null; do
        if ((SECONDS >= end_s)); then
            kill "$guest"
            return
        fi
        sleep 0.2
    done
}

# Ends the guest whatever ends this script: the kernel sends the signal if the script cannot.
boot() {
    local status=0 left_s=$((limit_s - SECONDS))
    rm -f "$control"/{started,status}
    : > "$control/stdout"
    : > "$control/stderr"
    : > "$control/console"
    : > "$control/qemu"
    ((left_s > 0)) || return 124 # timeout(1) takes 0 for no limit
    setpriv --pdeathsig TERM timeout --kill-after=5 "$left_s" setpriv --pdeathsig KILL \
        "${qemu[@]}" "${machine[@]}" < /dev/null > "$control/qemu" 2>&1 &
    guest=$!
    tail -n +1 -f -s 0.1 --pid="$guest" "$control/stdout" &
    tail -n +1 -f -s 0.1 --pid="$guest" "$control/stderr" >&2 &
    end_hung_boot &
    wait "$guest" || status=$?
    guest=
    wait
    return "$status"
}

guest_died() { # STATUS MESSAGE
    say "$2; the end of its console and of QEMU's messages:"
    tail -n 8 "$control/console" "$control/qemu" >&2
    cp "$control/console" "$results/console.log"
    exit "$1"
}

# Software emulation dies or hangs once in some 80 boots, in what the kernel does before the command starts.
run_guest() {
    local try status stage
    for try in 1 2 3; do
        status=0
        boot || status=$?
        [[ ! -f $control/status ]] || return 0
        stage="before the command started"
        [[ ! -f $control/started ]] || stage="while the command ran"
        ((status != 124)) || guest_died 124 "the guest was ended after $limit_s s, $stage"
        [[ ! -f $control/started ]] || guest_died 125 "the guest died $stage"
        say "boot $try of $topology ended $stage"
    done
    guest_died 125 "the guest does not boot"
}

guest=
control=$(mktemp -d "${TMPDIR:-/tmp}/pinwise-lab.XXXXXX")
trap 'end_guest; rm -rf "$control"; [[ -n ${LAB_RESULTS-} ]] || rmdir "$results" 2> /dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
if [[ -n ${LAB_RESULTS-} ]]; then
    mkdir -p "$LAB_RESULTS"
    results=$(realpath "$LAB_RESULTS")
else
    mkdir -p "$cache_dir/results"
    results=$(mktemp -d "$cache_dir/results/$topology.XXXXXX")
fi
if [[ -n $icount ]] && (($(qemu_version) < 10)); then
    unavailable "--icount needs QEMU 10, ${qemu[0]} is $(qemu_version);" \
        "install it with: apt-get install -t bookworm-backports qemu-system-x86"
fi

machine=(-M "q35,hpet=off")
processor_arguments
topology_arguments
boot_arguments
write_command "$@"
run_guest
[[ -n ${LAB_RESULTS-} || -z $(ls -A "$results") ]] || say "results are in $results"
exit "$(< "$control/status")"
