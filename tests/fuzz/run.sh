#!/usr/bin/env bash
# Builds the fuzz targets and runs each for a while.  Exit status 0: none found anything.
#   tests/fuzz/run.sh [SECONDS [NAME...]]    20 s each, all of them; NAME: manifest, series, ...
#   tests/fuzz/run.sh --long [NAME...]       ten minutes each, and on until it has made a million executions
#   --at-once N                              before these: so many beside each other (1)
# A line for each says how many executions it made, in which time, and how long its slowest took.  A --long that is stopped goes
# on where it was: build/fuzz/long/NAME holds the executions and seconds so far; remove the folder to begin anew.
# Each begins with the corpus, with what seeds.py takes from the rest of the project, and with what it found new in earlier
# runs (build/fuzz/found/NAME).  An input that fails stays in build/fuzz/failed; made small by the fuzzer's own
# -minimize_crash=1, it goes into corpus.json (a long one: corpus/NAME) together with the fix.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PROGRAM=build/fuzz/tests/fuzz/gputide_fuzz
min_seconds=20
min_executions=0
step_seconds=  # of one process, where the sum of several counts
at_once=1

main() {
    local names name
    while [[ ${1:-} == --* ]]; do
        case $1 in
            --long) min_seconds=600 min_executions=1000000 step_seconds=60; shift ;;
            --at-once) at_once=$2; shift 2 ;;
            *) sed -n '2,7p' "$0" >&2; exit 2 ;;
        esac
    done
    if [[ ${1:-} =~ ^[0-9]+$ ]]; then min_seconds=$1; shift; fi
    names=("$@")
    ((${#names[@]})) || mapfile -t names < <(every_name)
    cmake --preset fuzz -Wno-dev >/dev/null
    cmake --build --preset fuzz --target gputide_fuzz
    rm -rf build/fuzz/seeds build/fuzz/failed
    mkdir -p build/fuzz/failed
    python3 tests/fuzz/seeds.py build/fuzz/seeds
    for name in "${names[@]}"; do
        while (($(jobs -rp | wc -l) >= at_once)); do wait -n || true; done
        fuzz "$name" || touch "build/fuzz/failed/$name" &
    done
    wait
    local bad
    bad=$(cd build/fuzz/failed && printf '%s\n' "${names[@]}" | while read -r name; do [[ ! -e $name ]] || echo "$name"; done)
    [[ -z $bad ]] || { echo "fuzz: failed: ${bad//$'\n'/ }; the inputs are in build/fuzz/failed" >&2; return 1; }
}

every_name() {
    sed -n 's/^const registration target{"\([a-z_]*\)".*/\1/p' tests/fuzz/*.cpp
}

# Goes on until both the time and the executions are there.
fuzz() {
    local name=$1 folders=(build/fuzz/found/"$1") folder log=$PROGRAM.$1.log sum=build/fuzz/long/$1
    local seconds=0 executions=0 slowest_s=0 step start
    mkdir -p "${folders[0]}" build/fuzz/long
    for folder in "tests/fuzz/corpus/$name" "build/fuzz/seeds/$name"; do
        if [[ -d $folder ]]; then folders+=("$folder"); fi
    done
    if [[ -n $step_seconds && -e $sum ]]; then read -r executions seconds slowest_s <"$sum"; fi
    while ((seconds < min_seconds || executions < min_executions)); do
        start=$SECONDS
        if ! GPUTIDE_FUZZ_TARGET=$name "$PROGRAM" -max_total_time="${step_seconds:-$min_seconds}" -timeout=60 -rss_limit_mb=4096 \
            -print_final_stats=1 -artifact_prefix="build/fuzz/failed/$name-" "${folders[@]}" >"$log" 2>&1; then
            printf 'fuzz: %-16s failed\n%s\n' "$name" "$(tail -n 40 "$log")"
            return 1
        fi
        ((executions += $(figure number_of_executed_units "$log"), seconds += SECONDS - start)) || true
        step=$(figure slowest_unit_time_sec "$log")
        slowest_s=$((step > slowest_s ? step : slowest_s))
        if [[ -n $step_seconds ]]; then echo "$executions $seconds $slowest_s" >"$sum"; fi
    done
    printf 'fuzz: %-16s %9d executions in %4d s, none failed; the slowest took %d s\n' "$name" "$executions" "$seconds" "$slowest_s"
}

figure() { sed -n "s/^stat::$1: *//p" "$2"; }

main "$@"
