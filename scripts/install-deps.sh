#!/usr/bin/env bash
# Installs what pinwise needs to build and test: the one list of packages.
#   scripts/install-deps.sh [build] [check] [lab]     (default: build)
# Debian and Ubuntu: through apt-get, as root or with sudo. Elsewhere: prints the names and stops.
set -euo pipefail

build=(g++ cmake ninja-build pkg-config git ca-certificates libhwloc-dev libnuma-dev libcli11-dev libfmt-dev
    libexpected-dev libtomlplusplus-dev nlohmann-json3-dev libboost-dev libhwy-dev libre2-dev)
check=(procps libgtest-dev libgmock-dev libbenchmark-dev clang clang-format clang-tidy libomp-dev shellcheck hwloc-nox python3)
lab=(qemu-system-x86 zstd lz4 xz-utils)

dnf_names="gcc-c++ cmake ninja-build pkgconf git hwloc-devel numactl-devel cli11-devel fmt-devel expected-devel tomlplusplus-devel json-devel boost-develel highway-devel re2-devel gtest-devel gmock-devel google-benchmark-devel clang clang-tools-extra ShellCheck"
zypper_names="gcc-c++ cmake ninja pkgconf git hwloc-devel libnuma-devel cli11-devel fmt-devel tl-expected-devel tomlplusplus-devel nlohmann_json-devel boost-develel libhwy-devel re2-devel gtest benchmark-devel clang clang-tools ShellCheck"

packages=()
for group in "${@:-build}"; do
    case $group in
        build) packages+=("${build[@]}") ;;
        check) packages+=("${check[@]}") ;;
        lab) packages+=("${lab[@]}") ;;
        *) echo "install-deps.sh: unknown group '$group': choose among build, check, lab" >&2; exit 2 ;;
    esac
done

if ! command -v apt-get >/dev/null; then
    echo "install-deps.sh: no apt-get here. Install these and start again:" >&2
    echo "  Fedora:   dnf install $dnf_names" >&2
    echo "  openSUSE: zypper install $zypper_names" >&2
    exit 1
fi

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "install-deps.sh: run as root, or install: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
