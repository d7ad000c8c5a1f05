#!/usr/bin/env bash
# Asks the own code of KEDA, of the HPA, of the VerticalPodAutoscaler and of the kube-scheduler and this library the same random
# questions, and compares.
#   tests/originals/run.sh             whole: more than 100,000 passes and polls; its table goes into docs/parity.md
#   tests/originals/run.sh --quick     2,000 of each, 500 clusters; writes nothing
#   tests/originals/run.sh [--quick] --seed N [--only NAME] [--inputs N]    the inputs of another run again
# The library is build/PRESET's, PRESET=release unless set, or $GPUTIDE_LIBRARY.  The programs are built once, from the Go module proxy
# (Go 1.26), and kept outside the build tree.  Exit status 0: every difference is one that known.py explains.
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=../cluster/programs.sh
source tests/cluster/programs.sh

SOURCE=$PWD/tests/originals/programs
PRESET=${PRESET:-release}

main() {
    local folder arguments=("$@")
    folder=$(originals_folder)
    mkdir -p "$folder"
    build_program "$SOURCE/kubernetes" ./hpa "$folder/hpa" && build_program "$SOURCE/vpa" . "$folder/vpa" &&
        build_program "$SOURCE/kubernetes" ./scheduler "$folder/scheduler" &&
        build_program "$SOURCE/keda" ./poll "$folder/keda-poll" &&
        build_program "$SOURCE/keda" ./scalers "$folder/keda-scalers" || exit 2
    if [[ -z ${GPUTIDE_LIBRARY:-} ]]; then
        cmake --preset "$PRESET" -Wno-dev >/dev/null
        cmake --build --preset "$PRESET" --target gputide_full
        export GPUTIDE_LIBRARY=$PWD/build/$PRESET/libgputide-full.so
    fi
    [[ " $* " == *" --"[qoi]* ]] || arguments+=(--write docs/parity.md)
    PYTHONPATH=bindings/python/src exec python3 tests/originals/run.py "$folder" "${arguments[@]}"
}

# By what they are made of: a changed pin or source is built anew.
originals_folder() {
    local made_of
    made_of=$(find "$SOURCE" -name '*.go' -o -name 'go.*' | sort | xargs cat | sha256sum)
    echo "${XDG_CACHE_HOME:-$HOME/.cache}/gputide/originals/${made_of:0:8}"
}

main "$@"
