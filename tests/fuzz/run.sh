#!/usr/bin/env bash
# Builds the fuzzers and lets each run for a while.  Exit status 0: none found anything.
#   tests/fuzz/run.sh [SECONDS [NAME...]]    20 s each, all of them; NAME: manifest, series, ...
# Each begins with corpus/NAME, with what seeds.py takes from the rest of the project, and with what it found new in earlier
# runs (build/fuzz/found/NAME).  An input that fails stays in build/fuzz/failed; made small by the fuzzer's own
# -minimize_crash=1, it goes into corpus/NAME together with the mend.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PROGRAMS=build/fuzz/tests/fuzz/gputide_fuzz_

main() {
    local seconds=${1:-20} names=("${@:2}") name bad=()
    cmake --preset fuzz -Wno-dev >/dev/null
    cmake --build --preset fuzz
    rm -rf build/fuzz/seeds build/fuzz/failed
    mkdir -p build/fuzz/failed
    python3 tests/fuzz/seeds.py build/fuzz/seeds
    ((${#names[@]})) || mapfile -t names < <(every_name)
    for name in "${names[@]}"; do
        fuzz "$name" "$seconds" || bad+=("$name")
    done
    ((${#bad[@]} == 0)) || { echo "fuzz: failed: ${bad[*]}; the inputs are in build/fuzz/failed" >&2; return 1; }
}

every_name() {
    local source
    for source in tests/fuzz/*_fuzz.cpp; do basename "$source" _fuzz.cpp; done
}

fuzz() {
    local name=$1 seconds=$2 folders=(build/fuzz/found/"$1") folder log=$PROGRAMS$1.log
    mkdir -p "${folders[0]}"
    for folder in "tests/fuzz/corpus/$name" "build/fuzz/seeds/$name"; do
        if [[ -d $folder ]]; then folders+=("$folder"); fi
    done
    if "$PROGRAMS$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/failed/$name-" "${folders[@]}" >"$log" 2>&1; then
        printf 'fuzz: %-16s %s inputs, none failed\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    else
        printf 'fuzz: %-16s failed\n' "$name"
        tail -n 40 "$log"
        return 1
    fi
}

main "$@"
