#!/usr/bin/env bash
# Boots one topology and runs the lab's checks in it: check.sh [options of lab.sh] TOPOLOGY
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

if [[ -z ${LAB_RESULTS-} ]]; then
    LAB_RESULTS=$(mktemp -d)
    trap 'rm -rf "$LAB_RESULTS"' EXIT
fi
export LAB_RESULTS
"$lab_dir/lab.sh" "$@" -- "$lab_dir/guest/checks.sh"
