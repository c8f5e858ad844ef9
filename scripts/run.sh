#!/usr/bin/env bash
# Builds pinwise and compares OS placement with pinned-aware placement on this machine.
#   scripts/run.sh [ARGUMENTS OF pinwise run]     (default: configs/quick.toml)
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh build
mkdir -p build/run
if ! { cmake --preset run && cmake --build --preset run; } >build/run/build.log 2>&1; then
    tail -n 40 build/run/build.log >&2
    exit 1
fi

# A config is the first argument that is no option; without one, the quick comparison runs.
for argument in "$@"; do
    case $argument in
        *.toml) exec build/run/bin/pinwise run "$@" ;;
    esac
done
exec build/run/bin/pinwise run configs/quick.toml "$@"
