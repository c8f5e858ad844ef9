#!/usr/bin/env bash
# Runs clang-tidy over every source of ours, in parallel.
#   scripts/tidy.sh BUILD_TREE [FILE…]     BUILD_TREE has compile_commands.json of a clang build
set -euo pipefail
cd "$(dirname "$0")/.."
tree=$1
shift
if [ $# -gt 0 ]; then printf '%s\n' "$@"; else git ls-files 'placer/*.cpp' 'workloads/*.cpp' 'runner/*.cpp'; fi |
    xargs -P "$(nproc)" -n 1 clang-tidy -p "$tree" --quiet 2>/dev/null
