#!/usr/bin/env bash
# Boots one topology and runs the lab's checks in it: check.sh [options of lab.sh] TOPOLOGY
set -euo pipefail
# shellcheck source=environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

make_results_folder
"$lab_dir/lab.sh" "$@" -- "$lab_dir/guest/checks.sh"
