#!/usr/bin/env bash
# Runs gputided run --kubernetes against the real etcd, kube-apiserver and kube-controller-manager, on loopback; pods run where a
# suite needs that, by kube-scheduler and kwok.
#   tests/cluster/run.sh              every scenario whole: some deaths and sleeps of the leader by the dozen
#   tests/cluster/run.sh --quick      each scenario once and short; many_test not, unless GPUTIDE_MANY=N says how many
#   tests/cluster/run.sh --rivals     beside KEDA itself, for a quarter of an hour (with --quick: four minutes), and nothing else; its
#                                     operator and adapter are built first.  GPUTIDE_PICTURE=FILE.svg draws both sizes
#   tests/cluster/run.sh --no-install [--quick] [TEST...]     such as lead_test.Leading; installs no package of Debian
# gputided is built by the preset $PRESET (release unless set).
# The programs are built once, from the Go module proxy (Go 1.26), and kept outside the build tree: programs.sh.
# Exit status 0: all passed.
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=../../examples/quickstart/packages.sh
source examples/quickstart/packages.sh
# shellcheck source=../../examples/quickstart/stack.sh
source examples/quickstart/stack.sh
# shellcheck source=programs.sh
source tests/cluster/programs.sh

PRESET=${PRESET:-release}
GRPC_PACKAGES=(libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc)  # of examples/external_scaler, which KEDA asks
WORK=

main() {
    local install=1 size=--full rivals=0 source='' tests=() options=() targets=(gputided)
    for option in "$@"; do
        case $option in
            --quick) size= ;;
            --no-install) install=0 ;;
            --rivals) rivals=1 ;;
            -*) sed -n '2,11p' "$0" >&2; exit 2 ;;
            *) tests+=("$option") ;;
        esac
    done
    if ((install)); then install_missing "${BUILD_PACKAGES[@]}" "${RUN_PACKAGES[@]}" etcd-server; fi
    get_programs
    if ((rivals)); then
        if ((install)); then install_missing "${GRPC_PACKAGES[@]}"; fi
        get_keda
        source=$(keda_source) options=(-DGPUTIDE_EXTERNAL_SCALER=ON) targets+=(gputide_external_scaler)
    fi
    cmake --preset "$PRESET" -Wno-dev "${options[@]}" >/dev/null
    cmake --build --preset "$PRESET" --target "${targets[@]}"
    WORK=$(mktemp -d)
    trap 'stack_down; rm -rf "$WORK"' EXIT
    # The metric of the manifest for AKS: a hill of load on pods that share it.
    if ! stack_up "$WORK" --hold-load --seconds 45 --peak 240 --collect-interval 1 --start-delay 1; then
        stack_logs
        exit 1
    fi
    export FLEET_URL
    python3 tests/cluster/run_tests.py "build/$PRESET/gputided" "$(programs_folder)" \
        ${size:+"$size"} ${source:+--rivals "$source"} "${tests[@]}"
}

main "$@"
