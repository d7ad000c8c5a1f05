#!/usr/bin/env bash
# Builds the release preset, runs the benchmarks and their peers, and leaves in build/bench: results.json, results.md and
# results.svg (ratios as a picture).  Prints the same as a table.
#   bench/run.sh [--quick] [--no-install] [NAME...]    NAME: parse_vector_1, runtime_10k_cpu, ...; none: all
# --quick: shorter windows, no 100,000 scalers; for CI.  On Debian 12 it installs the peers that are missing (as root, or
# through sudo); with --no-install a missing one is named in the results instead.
# Each figure stands beside a baseline of the same run; ratio above 1 is better than it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=../examples/quickstart/packages.sh
source examples/quickstart/packages.sh
# shellcheck source=server.sh
source bench/server.sh

PEER_PACKAGES=(golang-go golang-github-prometheus-common-dev rapidjson-dev nlohmann-json3-dev python3-requests)
OUT=build/bench
FAILED=()
BIN=build/release/bench
export GPUTIDE_BENCH_QUICK=0
export GOCACHE=$PWD/$OUT/go-cache GO111MODULE=off

main() {
    read_options "$@"
    trap server_down EXIT
    if ((INSTALL)); then install_missing "${BUILD_PACKAGES[@]}" "${RUN_PACKAGES[@]}" "${PEER_PACKAGES[@]}"; fi
    rm -rf "$OUT/said"
    mkdir -p "$OUT/said" "$OUT/server" "$OUT/bodies"
    build
    modules
    over_tls
    for flavor in "" -full -pure; do strip -o "$OUT/libgputide$flavor.stripped" "build/release/libgputide$flavor.so.1"; done
    python3 bench/table.py "$OUT" "${NAMES[@]}"
    ((${#FAILED[@]} == 0)) || { echo "bench: failed: ${FAILED[*]}" >&2 && return 1; }
}

read_options() {
    INSTALL=1 NAMES=()
    while (($#)); do
        case $1 in
            --quick) GPUTIDE_BENCH_QUICK=1 ;;
            --no-install) INSTALL=0 ;;
            -*) sed -n '4,7p' "$0" >&2 && exit 2 ;;
            *) NAMES+=("$1") ;;
        esac
        shift
    done
}

build() {
    cmake --preset release -Wno-dev >/dev/null
    cmake --build --preset release --target gputide_benchmarks >/dev/null
    if go_is_there; then go build -o "$OUT/go_poll" ./bench/peers/go/poll; fi
    if expfmt_is_there; then GOPATH=/usr/share/gocode go build -o "$OUT/go_expfmt" ./bench/peers/go/expfmt; fi
}

go_is_there() { command -v go >/dev/null; }
expfmt_is_there() { go_is_there && [[ -d /usr/share/gocode/src/github.com/prometheus/common/expfmt ]]; }
requests_is_there() { /usr/bin/python3 -c 'import requests' 2>/dev/null; }

# Runs what needs no server.
modules() {
    if wanted parse_vector; then parse; fi
    if wanted decide state; then say decide "$BIN/gputide_bench_decide"; fi
    if wanted forecast; then say forecast "$BIN/gputide_bench_forecast"; fi
    if wanted forecast forecast_door; then say forecast_door "$BIN/gputide_bench_forecast_door"; fi
    if wanted decide decide_door; then say decide_door "$BIN/gputide_bench_decide_door"; fi
    if wanted exposition; then
        say exposition "$BIN/gputide_bench_exposition" "$OUT/bodies/page.txt"
        if expfmt_is_there; then
            say exposition_go "$OUT/go_expfmt" "$OUT/bodies/page.txt"
        else
            missing exposition_go golang-github-prometheus-common-dev
        fi
    fi
    if wanted nodes_51k nodes_mixed nodes_claims nodes_affinity nodes_list; then say nodes "$BIN/gputide_bench_nodes"; fi
    if wanted fetch_loopback; then say fetch "$BIN/gputide_bench_fetch"; fi
    if wanted rightsize; then say rightsize_door "$BIN/gputide_bench_rightsize_door"; fi
    if wanted replay_year tune_candidate_days; then say replay "$BIN/gputide_bench_replay"; fi
    if wanted nvml; then say nvml "$BIN/gputide_bench_nvml"; fi
    if wanted runtime_1m_sim runtime_idle; then say runtime_sim "$BIN/gputide_bench_runtime_sim"; fi
    if wanted dlopen load; then say load "$BIN/gputide_bench_load" build/release/libgputide.so.1; fi
}

parse() {
    local series bodies=()
    say parse "$BIN/gputide_bench_parse"
    if [[ -x $BIN/gputide_bench_parse_peers ]]; then
        say parse_peers "$BIN/gputide_bench_parse_peers" "$OUT/bodies"
    else
        missing parse_peers "rapidjson-dev nlohmann-json3-dev"
        return
    fi
    for series in 1 8 1000 10000; do bodies+=("parse_vector_$series=$OUT/bodies/vector_$series.json"); done
    if go_is_there; then say parse_go "$OUT/go_poll" parse "${bodies[@]}"; else missing parse_go golang-go; fi
}

over_tls() {
    wanted fetch_tls runtime || return 0
    server_up "$OUT/server"
    if wanted fetch_tls; then fetch; fi
    # LABEL TRIGGERS PERIOD_S FIRST_S WINDOW_S
    if ((GPUTIDE_BENCH_QUICK)); then
        if wanted runtime_10k; then many 10k 10000 30 30 15; fi
    else
        if wanted runtime_10k; then many 10k 10000 30 30 60; fi
        if wanted runtime_100k; then many 100k 100000 30 30 30; fi
    fi
    server_down
}

fetch() {
    local polls=20000
    say fetch_tls "$BIN/gputide_bench_fetch" "$BENCH_URL"
    if go_is_there; then say fetch_tls_go "$OUT/go_poll" flat "$BENCH_URL" "$polls"; else missing fetch_tls_go golang-go; fi
    if requests_is_there; then
        say fetch_tls_requests /usr/bin/python3 bench/peers/requests_poll.py "$BENCH_URL" $((polls / 10))
    else
        missing fetch_tls_requests python3-requests
    fi
}

# The three one after another, each alone with the server.
many() {
    say "runtime_$1" "$BIN/gputide_bench_runtime" "$BENCH_URL" "$@"
    say "runtime_$1_curl" "$BIN/gputide_bench_peer_curl" "$BENCH_URL" "$1" "$2" "$3" 2 "$(($5 < 30 ? $5 : 30))"
    if go_is_there; then
        say "runtime_$1_go" "$OUT/go_poll" paced "$BENCH_URL" "$1" "$2" "$3" "$4" "$(($5 < 30 ? $5 : 30))"
    else
        missing "runtime_$1_go" golang-go
    fi
}

# wanted PREFIX...: one of the names asked for begins so.
wanted() {
    local name prefix
    ((${#NAMES[@]})) || return 0
    for name in "${NAMES[@]}"; do
        for prefix in "$@"; do
            if [[ $name == "$prefix"* ]]; then return 0; fi
        done
    done
    return 1
}

# say FILE PROGRAM ARGUMENT...: runs it and keeps what it prints.  One that fails is named in the results, and at the end.
say() {
    local name=$1 into=$OUT/said/$1.json
    shift
    echo "bench: ${*##*/}" >&2
    if ! "$@" >"$into"; then
        FAILED+=("$name")
        printf '[{"missing":"%s","why":"it failed"}]\n' "$name" >"$into"
    fi
}

missing() {
    echo "bench: $1 was not measured: $2 is not installed" >&2
    printf '[{"missing":"%s","why":"%s is not installed"}]\n' "$1" "$2" >"$OUT/said/$1.json"
}

main "$@"
