# Paths and messages that the scripts of the lab share. Sourced, never run.
# shellcheck shell=bash disable=SC2034  # the variables are for the scripts that source this

lab_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project_dir=$(cd "$lab_dir/../.." && pwd)
build_dir=$(realpath -m "${PINWISE_BUILD:-$project_dir/build/release}")
cache_dir=${PINWISE_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pinwise-lab}
topologies_file=$lab_dir/topologies.toml

kernel_names=(5.10.218 5.10 6.1 6.12)
status_usage=2
status_unavailable=77 # SKIP_RETURN_CODE of the CTest entries

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

usage_error() {
    say "$*"
    exit "$status_usage"
}

# What is missing, and the command that installs it.
unavailable() {
    say "unavailable: $*"
    exit "$status_unavailable"
}

require_program() { # PROGRAM PACKAGE...
    command -v "$1" > /dev/null || unavailable "no $1; install it with: apt-get install --no-install-recommends ${*:2}"
}

require_built() { # PROGRAM...
    local program
    for program in "$@"; do
        [[ -x $build_dir/bin/$program ]] ||
            unavailable "$program is not in $build_dir; build it with: cmake --preset release && cmake --build --preset release"
    done
}

# The folder for what a guest leaves: LAB_RESULTS, or one that goes with this script.
make_results_folder() {
    if [[ -z ${LAB_RESULTS-} ]]; then
        LAB_RESULTS=$(mktemp -d)
        trap 'rm -rf "$LAB_RESULTS"' EXIT
    fi
    export LAB_RESULTS
    mkdir -p "$LAB_RESULTS"
}

topology_names() { sed -n 's/^\[\(.*\)\]$/\1/p' "$topologies_file"; }

topology_field() { # TOPOLOGY KEY: the value without its quotes, empty when the topology has no such key
    awk -v section="[$1]" -v key="$2" '
        /^\[/ { inside = ($0 == section) }
        inside && $1 == key { sub(/^[^=]*= */, ""); gsub(/"/, ""); print; exit }' "$topologies_file"
}

kernel_version() { cat "$cache_dir/kernels/$1/version"; }
