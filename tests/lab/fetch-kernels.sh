#!/usr/bin/env bash
# Fetches Debian's kernels for the lab into the cache folder, without installing them, and builds their boot images.
# Needs the network and apt, but no root: lists and packages live in the cache folder, the system's apt is not touched.
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

usage() {
    cat << USAGE
Usage: fetch-kernels.sh [--refresh] [KERNEL...]
Fetches the named kernels (all of ${kernel_names[*]}) into $cache_dir/kernels.
  --refresh   fetch again what is there, so that 5.10, 6.1 and 6.12 are Debian's newest
PINWISE_LAB_CACHE names another cache folder, PINWISE_LAB_MIRROR another Debian mirror.
Exit status: 0 all there; 77 a kernel or a program is not to be had (named on stderr); 2 wrong usage.
USAGE
}

package_pattern() { # KERNEL: the names of its packages; the newest is taken
    case $1 in
        5.10.218) echo '^linux-image-5\.10\.0-30-amd64$' ;; # the last before the fix that stays in Debian's main archive
        5.10) echo '^linux-image-5\.10\.0-[0-9]+-amd64$' ;;
        6.1) echo '^linux-image-6\.1\.0-[0-9]+-amd64$' ;;
        6.12) echo '^linux-image-6\.12\.[0-9]+\+deb[0-9]+-amd64$' ;;
        *) return 1 ;;
    esac
}

system_mirror() { # ARCHIVE: the mirror of debian or debian-security that this system's apt uses
    local found
    found=$(grep -rhoE "^[^#]*https?://[^ ]+/$1/?( |\$)" /etc/apt/sources.list /etc/apt/sources.list.d 2> /dev/null |
        grep -oE 'https?://[^ ]+' | head -n 1) || true
    echo "${found:-http://deb.debian.org/$1}"
}

# The post-invoke hooks of a system clean its own archives; here they are none of our business.
write_apt_configuration() {
    local mirror=${PINWISE_LAB_MIRROR:-$(system_mirror debian)} security=${PINWISE_LAB_MIRROR:+${PINWISE_LAB_MIRROR%/}-security}
    local keyring=/usr/share/keyrings/debian-archive-keyring.gpg suite
    [[ -r $keyring ]] || unavailable "no $keyring; install it with: apt-get install debian-archive-keyring"
    mkdir -p "$apt_dir/none" "$apt_dir/lists/partial" "$apt_dir/cache/archives/partial"
    : > "$apt_dir/status"
    for suite in bullseye bookworm; do
        echo "deb [arch=amd64 signed-by=$keyring] ${mirror%/} $suite main"
        echo "deb [arch=amd64 signed-by=$keyring] ${security:-$(system_mirror debian-security)} $suite-security main"
    done > "$apt_dir/sources.list"
    cat > "$apt_dir/apt.conf" << CONFIGURATION
Dir::Etc::sourcelist "$apt_dir/sources.list";
Dir::Etc::sourceparts "$apt_dir/none";
Dir::Etc::preferencesparts "$apt_dir/none";
Dir::State "$apt_dir";
Dir::State::lists "$apt_dir/lists";
Dir::State::status "$apt_dir/status";
Dir::Cache "$apt_dir/cache";
APT::Architecture "amd64";
APT::Architectures "amd64";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
CONFIGURATION
}

update_package_lists() {
    [[ -z $lists_updated ]] || return 0
    lists_updated=yes
    require_program apt-get apt
    require_program dpkg-deb dpkg
    write_apt_configuration
    apt-get -qq -c "$apt_dir/apt.conf" update || say "some package lists are not to be had; trying with the others"
}

newest_package() { # PATTERN
    apt-cache -c "$apt_dir/apt.conf" search --names-only "$1" | cut -d ' ' -f 1 | sort -V | tail -n 1
}

download() { # PACKAGE FOLDER: unpacks it there and prints its version
    (cd "$apt_dir/cache/archives" && rm -f -- *.deb && apt-get -qq -c "$apt_dir/apt.conf" download "$1") || return 1
    local deb
    deb=$(echo "$apt_dir"/cache/archives/*.deb)
    dpkg-deb -x "$deb" "$2"
    dpkg-deb -f "$deb" Version
    rm -f "$deb"
}

unsigned_at() { od -An -v -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; } # FILE OFFSET SIZE

# A guest without the decompressor in front boots seconds earlier. Where the payload lies is in the header of the boot
# protocol (setup_sects, payload_offset, payload_length); its last four bytes are the size of the kernel.
extract_vmlinux() { # BZIMAGE VMLINUX
    local start length size magic decompress
    start=$((($(unsigned_at "$1" 0x1f1 1) + 1) * 512 + $(unsigned_at "$1" 0x248 4)))
    length=$(unsigned_at "$1" 0x24c 4)
    size=$(unsigned_at "$1" $((start + length - 4)) 4)
    magic=$(od -An -v -t x1 -j "$start" -N 4 "$1" | tr -d ' ')
    case $magic in
        fd377a58) decompress=(xz -dc) && require_program xz xz-utils ;;
        28b52ffd) decompress=(zstd -dcq) && require_program zstd zstd ;;
        02214c18) decompress=(lz4 -dcq) && require_program lz4 lz4 ;;
        *) say "unknown compression of the kernel: $magic" && return 1 ;;
    esac
    tail -c "+$((start + 1))" "$1" | head -c $((length - 4)) | "${decompress[@]}" > "$2"
    [[ $(stat -c %s "$2") == "$size" ]] || { say "the kernel did not unpack to $size bytes" && return 1; }
}

# Copies a module and, before it, those it depends on, numbered in the order of loading.
add_module() { # NAME MODULES_TREE TARGET
    local name=${1//-/_} path dependency
    [[ -z $(find "$3" -name "*-$name.ko") ]] || return 0
    path=$(find "$2" -regex ".*/${name//_/[-_]}\.ko\(\.xz\)?" | head -n 1)
    if [[ -z $path ]]; then
        grep -qE "/${name//_/[-_]}\.ko$" "$2/modules.builtin" || { say "no module $name" && return 1; }
        return 0
    fi
    case $path in
        *.xz) xz -dc "$path" ;;
        *) cat "$path" ;;
    esac > "$3/.$name"
    for dependency in $(tr '\0' '\n' < "$3/.$name" | sed -n 's/^depends=//p' | tr , ' '); do
        add_module "$dependency" "$2" "$3"
    done
    mv "$3/.$name" "$3/$(printf %02d "$(find "$3" -name '*.ko' | wc -l)")-$name.ko"
}

build_initramfs() { # UNPACKED_KERNEL TARGET
    local root=$work/initramfs modules name
    modules=$(echo "$1"/lib/modules/*)
    mkdir -p "$root"/{bin,dev,proc,sys,modules,root,lower,upper}
    cp "$busybox" "$root/bin/busybox"
    cp "$lab_dir/guest/init" "$root/init"
    chmod 755 "$root/init" "$root/bin/busybox"
    for name in virtio_pci 9pnet_virtio 9p overlay; do add_module "$name" "$modules" "$root/modules" || return 1; done
    (cd "$root" && find . | "$busybox" cpio -o -H newc 2> /dev/null | gzip -1) > "$2"
    rm -rf "$root"
}

fetch_busybox() {
    busybox=$cache_dir/busybox
    [[ ! -x $busybox ]] || return 0
    download busybox-static "$work/busybox" > /dev/null || return 1
    cp "$work/busybox/bin/busybox" "$busybox"
}

fetch() { # KERNEL
    local target=$cache_dir/kernels/$1 package version built=$work/built
    update_package_lists
    package=$(newest_package "$(package_pattern "$1")")
    [[ -n $package ]] || { say "kernel $1: no package $(package_pattern "$1") on the mirror" && return 1; }
    fetch_busybox || { say "kernel $1: busybox-static is not to be had" && return 1; }
    version=$(download "$package" "$work/kernel") || { say "kernel $1: $package cannot be downloaded" && return 1; }
    mkdir -p "$built"
    extract_vmlinux "$(echo "$work"/kernel/boot/vmlinuz-*)" "$built/vmlinux" || return 1
    build_initramfs "$work/kernel" "$built/initramfs" || return 1
    cp "$work"/kernel/boot/config-* "$built/config"
    cp "$lab_dir/guest/init" "$built/init"
    echo "$package $version" > "$built/version"
    mkdir -p "$cache_dir/kernels"
    rm -rf "$target" "$work/kernel"
    mv "$built" "$target"
    say "kernel $1: $package $version"
}

# The image is built from guest/init: another one makes it stale.
is_current() { cmp -s "$cache_dir/kernels/$1/init" "$lab_dir/guest/init"; }

refresh=
wanted=()
for argument; do
    case $argument in
        --help | -h) usage && exit 0 ;;
        --refresh) refresh=yes ;;
        *)
            package_pattern "$argument" > /dev/null || usage_error "no kernel '$argument'; there are: ${kernel_names[*]}"
            wanted+=("$argument")
            ;;
    esac
done
((${#wanted[@]})) || wanted=("${kernel_names[@]}")

lists_updated=
apt_dir=$cache_dir/apt
mkdir -p "$cache_dir"
work=$(mktemp -d "$cache_dir/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
missing=()
for kernel in "${wanted[@]}"; do
    if [[ -z $refresh ]] && is_current "$kernel"; then continue; fi
    fetch "$kernel" || missing+=("$kernel")
    rm -rf "${work:?}"/*
done
((${#missing[@]} == 0)) || unavailable "kernels not fetched: ${missing[*]}"
