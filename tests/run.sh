#!/usr/bin/env bash
# Builds and runs every test.  Exit status 0: all passed.
#   tests/run.sh              release build with every test, of both flavors where they differ (host_symbols, self_contained_*), and
#                             every case of tests/cases
#   tests/run.sh --core       only the library with its unit tests, C API tests and cases; needs Debian packages, but no browser, JDK, npm or Go
#   tests/run.sh --sanitize   and what the ctests leave out of each language (linters, types, documentation, a realistic program); unit
#                             tests and cases under ASan and UBSan.  What runs on each change
#   tests/run.sh --full       and each binding whole (leaks of 20,000 rounds, valgrind, costs, packages, the library under ASan),
#                             ThreadSanitizer, clang, clang-tidy, clang-format, every fuzzer and every benchmark for a while, Debian's
#                             packages and an image
#   tests/run.sh ... --from PART   goes on where one was stopped: release bindings asan tsan clang format tidy fuzz package bench
# On Debian 12 it installs what is missing (as root, or through sudo); --no-install leaves that to you.
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=../examples/quickstart/packages.sh
source examples/quickstart/packages.sh

# Each line: FILE... [filter].  Every case of every file counts.
CONFORMANCE=(
    "hpa-behavior.json hpa-replicas.json hpa-multimetric.json hpa-multimetric.releases.json"
    "keda-executor.json keda-executor.releases.json keda-fallback.json"
    "hpa-behavior.table-tests.json hpa-replicas.table-tests.json hpa-multimetric.table-tests.json keda-executor.table-tests.json"
    "prometheus-api.json k8s-quantity.json k8s-metrics-api.json exposition.json"
    "keda-prometheus.json keda-prometheus.releases.json keda-cron.json keda-scaledjob.json keda-scaledjob.releases.json"
    "azure-metrics.json azure-metrics.releases.json azure-token.json"
    "node-estimate.json vpa-recommend.json forecast.json"
)
TEST_PACKAGES=(chromium jq
    libabsl-dev libnghttp2-dev       # the self-contained flavor
    luajit mono-mcs mono-runtime     # bindings_abi_json, bindings_csharp
    fish zsh groff-base)             # gputided_usage: completion, man pages
FULL_PACKAGES=(clang clang-tidy clang-format libclang-rt-14-dev maven valgrind ccache)
export GPUTIDE_CCACHE=1  # the packages of Python, Node and Debian compile what the release build has compiled

main() {
    local full=0 sanitize=0 install=1 core=0
    while (($#)); do
        case $1 in
            --core) core=1 ;;
            --sanitize) sanitize=1 ;;
            --full) full=1 sanitize=1 ;;
            --from) from=${2:-}; [[ " ${PARTS[*]} " == *" $from "* ]] || usage; shift ;;
            --no-install) install=0 ;;
            *) usage ;;
        esac
        shift
    done
    if ((core)); then
        if ((install)); then install_missing "${BUILD_PACKAGES[@]}" openssl python3; fi
        trap stopped ERR
        build_and_test core all --parallel "$(nproc)"
        conformance core
        trap - ERR
        report
        return
    fi
    if ((install)); then
        install_missing "${BUILD_PACKAGES[@]}" "${RUN_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
        command -v npm >/dev/null || install_missing nodejs npm  # Node may come from elsewhere than Debian
        command -v cargo >/dev/null || install_missing cargo-web rustc-web  # likewise
        command -v javac >/dev/null || install_missing openjdk-17-jdk-headless  # likewise
        install_missing junit5 python3-venv
        if ((full)); then install_missing "${FULL_PACKAGES[@]}"; fi
    fi
    tests/bindings/build.sh go true
    if ((full)); then need_tools; fi
    trap stopped ERR
    node_headers
    if part release; then
        build_and_test release all --label-exclude needs_servers --parallel $((2 * $(nproc)))
        # These wait for servers and clocks: four at a time leave two cores idle for four fifths of the time.
        run_ctests release --label-regex needs_servers --parallel $((5 * $(nproc)))
        conformance release
    fi
    if ((sanitize)); then
        if part bindings; then bindings "$full"; fi
        if part asan; then
            build_and_test asan gputide_sanitized --tests-regex '^unit_' --parallel "$(nproc)"
            conformance asan
        fi
    fi
    if ((full)); then everything_else; fi
    trap - ERR
    report
}

# The addon of bindings/node is built where they are.
node_headers() {
    [[ -e bindings/node/node_modules/node-api-headers ]] && return
    step 'npm: headers and linters of bindings/node'
    (cd bindings/node && npm install --ignore-scripts --no-audit --no-fund --loglevel=error)
}

# A missing package is reported now, not when an hour has passed.
need_tools() {
    local tool missing=()
    for tool in clang clang++ clang-format run-clang-tidy; do command -v "$tool" >/dev/null || missing+=("$tool"); done
    ((${#missing[@]} == 0)) || { echo "run.sh: --full needs ${missing[*]} (Debian: ${FULL_PACKAGES[*]})" >&2; exit 2; }
}

build_and_test() {
    local preset=$1 target=$2
    shift 2
    step "$preset: build"
    cmake --preset "$preset" -Wno-dev >/dev/null
    cmake --build --preset "$preset" --target "$target"
    run_ctests "$preset" "$@"
}

run_ctests() {
    local preset=$1
    shift
    step "$preset: tests"
    ctest --test-dir "build/$preset" --output-on-failure --output-junit junit.xml "$@" ||
        failed_steps+=("tests ($preset)")
    count_tests "build/$preset/junit.xml"
}

conformance() {
    local preset=$1 line words files filter
    step "$preset: conformance"
    for line in "${CONFORMANCE[@]}"; do
        read -ra words <<<"$line"
        files=() filter=()
        for word in "${words[@]}"; do
            if [[ $word == *.json ]]; then files+=("tests/cases/$word"); else filter+=("$word"); fi
        done
        run_conformance "$preset" "${filter[@]}" "${files[@]}"
    done
}

run_conformance() {
    local preset=$1 said compare=()
    shift
    if [[ -d ../shared/conformance ]]; then compare=(--compare ../shared/conformance); fi
    said=$("build/$preset/tests/gputide_conformance" "${compare[@]}" "$@") || failed_steps+=("conformance ($preset): $*")
    echo "$said"
    count "$(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' <<<"$said" | tail -n 1)"
}

# Runs what the ctests leave out of each language; of a full run all of it, and its packages.
declare -A PACKAGES=([python]=--wheel [node]=--pack [rust]=--vendored)
bindings() {
    local full=$1 language options
    for language in python node go rust java csharp; do
        step "bindings: $language"
        options=(--rest)
        if ((full)); then options=(${PACKAGES[$language]:-}); fi
        if tests/bindings/run.sh "$language" "${options[@]}"; then
            count '1 0'
        else
            count '0 1'
            failed_steps+=("tests/bindings/run.sh $language ${options[*]}")
        fi
    done
}

everything_else() {
    if part tsan; then
        build_and_test asan gputide --tests-regex '^bindings_(python|go)$'
        build_and_test tsan gputide_sanitized --tests-regex '^unit_' --parallel "$(nproc)"
    fi
    judge clang clang_build
    judge format clang_format
    judge tidy tests/tidy.py
    judge fuzz tests/fuzz/run.sh --at-once "$(nproc)"
    local no_install=()
    ((install)) || no_install=(--no-install)
    judge package tests/package/run.sh --image "${no_install[@]}"
    judge bench bench/run.sh --quick "${no_install[@]}"
}

# judge PART COMMAND...: the others go on where it fails.
judge() {
    local name=$1
    shift
    part "$name" || return 0
    step "$name"
    "$@" || failed_steps+=("$name")
}

clang_build() { cmake --preset clang -Wno-dev >/dev/null && cmake --build --preset clang; }

clang_format() { git ls-files '*.cpp' '*.hpp' '*.c' '*.h' | xargs clang-format --dry-run -Werror; }

PARTS=(release bindings asan tsan clang format tidy fuzz package bench)
from=release

# Whether this one is run: those before `from` have been.
part() {
    if [[ $1 == "$from" ]]; then from=; fi
    [[ -z $from ]]
}

usage() {
    sed -n '2,13p' "$0" >&2
    exit 2
}

passed=0 failed=0 failed_steps=() current_step=

count() {  # "PASSED FAILED"
    local numbers
    read -ra numbers <<<"$1"
    if ((${#numbers[@]} != 2)); then
        failed=$((failed + 1))
        return
    fi
    passed=$((passed + numbers[0])) failed=$((failed + numbers[1]))
}

count_tests() {
    local all bad
    all=$(sed -nE 's/.*[[:space:]]tests="([0-9]+)".*/\1/p' "$1" | head -n 1)
    bad=$(sed -nE 's/.*[[:space:]]failures="([0-9]+)".*/\1/p' "$1" | head -n 1)
    count "$((all - bad)) $bad"
}

# SECONDS is bash's own count since this script began.
step() {
    current_step=$*
    printf '\n== %s   (after %d min)\n' "$*" $((SECONDS / 60))
}

# A command failed without which the rest has no meaning.
stopped() {
    failed_steps+=("$current_step; the steps after it did not run")
    report
}

report() {
    local step
    for step in "${failed_steps[@]}"; do echo "failed: $step"; done
    printf '%d passed, %d failed\n' "$passed" "$failed"
    ((failed == 0 && ${#failed_steps[@]} == 0))
}

main "$@"
