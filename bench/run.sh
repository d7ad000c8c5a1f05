#!/usr/bin/env bash
# Builds the release preset, runs the benchmarks and writes build/bench/results.json; prints the same as a table.
#   bench/run.sh [--quick] [NAME...]       NAME: parse_vector_1, decide_steady, ...; none: all
# Each figure stands beside a baseline of the same run; ratio above 1 is better than it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export GPUTIDE_BENCH_QUICK=0
if [[ ${1:-} == --quick ]]; then
    GPUTIDE_BENCH_QUICK=1
    shift
fi

# Program and its arguments, one line each.
PROGRAMS=(
    gputide_bench_parse
    gputide_bench_decide
    gputide_bench_exposition
    gputide_bench_fetch
    gputide_bench_nvml
    "gputide_bench_load build/release/libgputide.so.0"
)

cmake --preset release -Wno-dev >/dev/null
cmake --build --preset release >/dev/null
mkdir -p build/bench
for line in "${PROGRAMS[@]}"; do
    read -ra words <<<"$line"
    "build/release/bench/${words[0]}" "${words[@]:1}" >"build/bench/${words[0]}.json"
done

strip -o build/bench/libgputide.stripped build/release/libgputide.so.0
python3 bench/table.py build/bench "$@"
