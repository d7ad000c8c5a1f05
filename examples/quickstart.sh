#!/usr/bin/env bash
# gputide's quickstart: a manifest written for KEDA and Azure Managed Prometheus scales a GPU fleet, on this machine alone.
#
# Builds gputided, starts a simulated GPU fleet, Prometheus, a token endpoint in Entra's place and nginx in the place of the
# query endpoint (all on 127.0.0.1), shows one decision for examples/manifests/aks-gpu.yaml as it stands, then lets
# gputided scale the fleet through a hill of load and prints what it does and why.  About two minutes after the build.
# Exit status 0: the fleet went up to at least 4 replicas and came down to 1 again.  Nothing is left running.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source-path=SCRIPTDIR
source "$ROOT/examples/quickstart/packages.sh"
# shellcheck source-path=SCRIPTDIR
source "$ROOT/examples/quickstart/stack.sh"
# shellcheck source-path=SCRIPTDIR
source "$ROOT/examples/quickstart/demo.sh"

main() {
    read_options "$@"
    trap 'finish $?' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    if ((INSTALL)); then install_missing "${RUN_PACKAGES[@]}"; fi
    if ((BUILD)); then build_gputided; fi
    start_stack
    show_one_decision
    scale_through_a_hill
}

usage() {
    cat <<TEXT
usage: examples/quickstart.sh [--no-build] [--no-install] [--fast] [--keep-logs DIR]
  --no-build       use gputided as it is (build/release, or the program that \$GPUTIDED names)
  --no-install     install no packages
  --fast           a shorter hill: about a minute instead of two
  --keep-logs DIR  copy the logs and decisions there at the end
TEXT
}

read_options() {
    BUILD=1 INSTALL=1 HILL_SECONDS=75 KEEP_LOGS=''
    while (($#)); do
        case $1 in
            --no-build) BUILD=0 ;;
            --no-install) INSTALL=0 ;;
            --fast) HILL_SECONDS=36 ;;
            --keep-logs) KEEP_LOGS=${2:?--keep-logs: a folder is missing} && shift ;;
            -h | --help) usage && exit 0 ;;
            *) echo "quickstart: unknown option $1" >&2 && usage >&2 && exit 2 ;;
        esac
        shift
    done
    GPUTIDED=${GPUTIDED:-$ROOT/build/release/gputided}
}

build_gputided() {
    if ((INSTALL)); then install_missing "${BUILD_PACKAGES[@]}"; fi
    step 'Building gputided'
    (cd "$ROOT" && cmake --preset release -Wno-dev >/dev/null && cmake --build --preset release --target gputided)
}

start_stack() {
    [[ -x $GPUTIDED ]] || fail "no program at $GPUTIDED; leave --no-build away, or set GPUTIDED"
    WORK=$(mktemp -d "${TMPDIR:-/tmp}/gputide-quickstart.XXXXXX")
    step 'Starting the fleet, Prometheus, the token endpoint and the query endpoint'
    stack_up "$WORK" --hold-load --seconds "$HILL_SECONDS" --start-delay 4 --collect-interval 1
    show_environment
}

show_one_decision() {
    start_the_load
    step 'One decision for examples/manifests/aks-gpu.yaml, as text and as JSON'
    evaluate text
    echo
    evaluate json
}

scale_through_a_hill() {
    step 'gputided run: examples/manifests/aks-gpu-demo.yaml until the fleet has gone up and come down'
    start_gputided
    watch_the_fleet
    show_tokens
}

main "$@"
