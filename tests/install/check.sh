#!/usr/bin/env bash
# Installs a build tree into a temporary prefix and uses it as a stranger would.
#   tests/install/check.sh BUILD_TREE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

cmake --install "$1" --prefix "$prefix/usr" >/dev/null
cmake -S "$here/consumer" -B "$prefix/consumer" -DCMAKE_PREFIX_PATH="$prefix/usr" >/dev/null
cmake --build "$prefix/consumer" >/dev/null

# Two of the four threads stay on the creator's node, whose two LLCs take one each.
[ "$("$prefix/consumer/consumer")" = "0 2 4 6 " ]

cd "$prefix"
"$prefix/usr/bin/pinwise" --version >/dev/null
"$prefix/usr/bin/pinwise" exec --policy idlest -- true
"$prefix/usr/bin/pinwise" run "$prefix/usr/share/pinwise/configs/quick.toml" --dry-run >/dev/null
[ -s "$prefix/usr/share/man/man1/pinwise.1" ]
echo "install: ok"
