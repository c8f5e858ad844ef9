#!/usr/bin/env bash
# Builds pinwise and compares OS placement with pinned-aware placement on this machine.
#   scripts/run.sh [ARGUMENTS OF pinwise run]     (default: the experiment configs/quick.toml)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

"$root/scripts/install-deps.sh" build
log=$root/build/run/build.log
mkdir -p "$root/build/run"
echo "Building pinwise in build/run (a few minutes the first time; log: build/run/build.log) ..." >&2
if ! { cmake -S "$root" --preset run && cmake --build "$root/build/run"; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    exit 1
fi
exec "$root/build/run/bin/pinwise" run "$@"
