#!/usr/bin/env bash
# Gets what the lab's tests need: setup.sh [lab-quick | lab]. Exit status 77, with the reason, when it is not to be had: the
# tests then skip themselves.
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

case ${1:-lab} in
    lab-quick) kernels=(5.10.218) ;; # the quick_kernel of CMakeLists.txt
    lab) kernels=("${kernel_names[@]}") ;;
    *) usage_error "no label '$1': lab-quick or lab" ;;
esac

if ! command -v qemu-system-x86_64 > /dev/null; then
    "$project_dir/scripts/install-deps.sh" lab ||
        unavailable "QEMU cannot be installed; by hand: apt-get install --no-install-recommends qemu-system-x86"
fi
"$lab_dir/fetch-kernels.sh" "${kernels[@]}"
