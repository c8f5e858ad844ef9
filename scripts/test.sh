#!/usr/bin/env bash
# Builds and runs every test.
#   scripts/test.sh [--quick | --lab]
#     --quick   release build and its tests only
#     --lab     also every lab test (emulated multi-node guests), instead of the quick subset, and clang-tidy over all
#               sources
set -euo pipefail
cd "$(dirname "$0")/.."

mode=full
case ${1:-} in
    "") ;;
    --quick) mode=quick ;;
    --lab) mode=lab ;;
    *) echo "test.sh: unknown option '$1': --quick or --lab" >&2; exit 2 ;;
esac

jobs=$(nproc)
passed=0 failed=0 skipped=0
failures=()

stage() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

# Runs a check that counts as one test.
check() {
    local name=$1
    shift
    stage "$name"
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); failures+=("$name"); fi
}

# Runs ctest in a build tree and adds its counts.
run_ctest() {
    local name=$1 tree=$2
    shift 2
    stage "$name"
    local log=$tree/ctest.log
    ctest --test-dir "$tree" --output-on-failure -j "$jobs" "$@" >"$log" 2>&1 || true
    local not_run
    not_run=$(grep -c 'Not Run\|Skipped' <(grep -E '^ *[0-9]+/[0-9]+ Test' "$log") || true)
    local total bad
    total=$(sed -n 's/.* tests failed out of \([0-9]*\).*/\1/p' "$log")
    bad=$(sed -n 's/.*, \([0-9]*\) tests failed out of .*/\1/p' "$log")
    if [ -z "$total" ] || [ "$total" -eq 0 ]; then
        echo "no test ran"; tail -n 20 "$log"; failed=$((failed + 1)); failures+=("$name"); return
    fi
    if [ "$bad" -ne 0 ]; then
        grep -vE '^ *([0-9]+/[0-9]+ Test.*Passed|Start +[0-9]+:)' "$log"; failures+=("$name")
    else
        tail -n 12 "$log"
    fi
    passed=$((passed + total - bad - not_run)); failed=$((failed + bad)); skipped=$((skipped + not_run))
}

# Sources are joined, eight to a compilation, which halves the time; that each stands alone shows in every developer's build
# and in the clang build of --lab.
build() {
    local preset=$1
    shift
    stage "build $preset"
    mkdir -p "build/$preset"
    if ! { cmake --preset "$preset" -DCMAKE_UNITY_BUILD=ON "$@" && cmake --build --preset "$preset" -j "$jobs"; } >"build/$preset/build.log" 2>&1; then
        grep -E 'error|FAILED|Error' -A5 "build/$preset/build.log" | head -n 60
        echo "build $preset failed"
        exit 1
    fi
}

sources() { git ls-files '*.cpp' '*.hpp' '*.c'; }

scripts/install-deps.sh build check
# The logic of placer and runner is tested once, sanitized: compiling those tests twice would take a fifth of the time.
if [ "$mode" = quick ]; then build release; else build release -DPINWISE_BUILD_LOGIC_TESTS=OFF; fi
run_ctest "tests (release)" build/release -LE lab
if [ "$mode" != quick ]; then
    # shellcheck disable=SC2046  # file names of this project have no blanks
    check "clang-format" clang-format --dry-run -Werror $(sources)
    # shellcheck disable=SC2046
    check "shellcheck" shellcheck $(git ls-files '*.sh' .ci/run)
    check "install and find_package" tests/install/check.sh build/release
    build asan
    run_ctest "tests (address and undefined behaviour sanitizers)" build/asan -LE lab
    # clang-tidy compiles the sources with clang's front end, so warnings of clang are found without a second build.
    stage "configure clang"
    cmake --preset clang >build/clang-configure.log 2>&1 || { cat build/clang-configure.log; exit 1; }
    if [ "$mode" = lab ]; then
        check "clang-tidy" scripts/tidy.sh build/clang
        lab_label=lab
        build clang -DCMAKE_UNITY_BUILD=OFF
    else
        lab_label=lab-quick
    fi
    stage "lab"
    tests/lab/setup.sh "$lab_label" || true
    run_ctest "tests ($lab_label)" build/release -L "^$lab_label\$" -j 1
fi

printf '\n'
for name in "${failures[@]}"; do echo "FAILED: $name"; done
echo "total time: $SECONDS s"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
