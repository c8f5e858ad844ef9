#!/usr/bin/env bash
# Builds pinwise and compares OS placement with pinned-aware placement on this machine.
#   scripts/run.sh [ARGUMENTS OF pinwise run]     (default: configs/quick.toml)
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh build
cmake --preset release -DPINWISE_BUILD_TESTS=OFF --log-level=WARNING >/dev/null
cmake --build --preset release >build/release/build.log || { tail -n 40 build/release/build.log >&2; exit 1; }

# A config is the first argument that is no option; without one, the quick comparison runs.
for argument in "$@"; do
    case $argument in
        *.toml) exec build/release/bin/pinwise run "$@" ;;
    esac
done
exec build/release/bin/pinwise run configs/quick.toml "$@"
