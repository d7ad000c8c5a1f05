# shellcheck shell=bash
# The programs of a control plane, built as ordinary Go modules at the versions that programs/*/go.mod pin.
#
#     source tests/cluster/programs.sh
#     programs_folder                prints where they are: below ${XDG_CACHE_HOME:-~/.cache}, by what pins them
#     get_programs                   builds those that are missing there; some 20 processor minutes where nothing is cached
#     get_keda                       KEDA's operator and metrics adapter likewise, which the rivals' tests alone need; as much again
#     keda_source                    prints where that module's files are, among them its definitions and Roles

PROGRAMS_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/programs
PROGRAMS=(kube-apiserver kube-controller-manager kubectl)

kubernetes_version() {
    sed -n 's|^\tk8s.io/kubernetes \(v[0-9.]*\).*|\1|p' "$PROGRAMS_SOURCE/kube-apiserver/go.mod"
}

programs_folder() {
    echo "${XDG_CACHE_HOME:-$HOME/.cache}/gputide/cluster/$(kubernetes_version)"
}

get_programs() {
    local folder program
    folder=$(programs_folder)
    mkdir -p "$folder"
    for program in "${PROGRAMS[@]}"; do
        [[ -x $folder/$program ]] && continue
        echo "cluster: building $program $(kubernetes_version)" >&2
        # Whole or not at all, whoever else builds it at this moment.
        (cd "$PROGRAMS_SOURCE/$program" &&
            nice -n 10 go build -p 2 -mod=readonly -trimpath -ldflags '-s -w' -o "$folder/$program.$$" . &&
            mv "$folder/$program.$$" "$folder/$program") || return 1
    done
}

# A program's main package is KEDA's own, built in its own module: its pins are its go.mod's.  go.sum here holds the module to its hash.
keda_source() {
    (cd "$PROGRAMS_SOURCE/keda" && go mod download github.com/kedacore/keda/v2 &&
        go list -mod=readonly -m -f '{{.Dir}}' github.com/kedacore/keda/v2)
}

get_keda() {
    local folder source program
    folder=$(programs_folder)
    source=$(keda_source) || return 1
    for program in operator adapter; do
        [[ -x $folder/keda-$program ]] && continue
        echo "cluster: building keda-$program of ${source##*@}" >&2
        (cd "$source" && nice -n 10 go build -p 2 -mod=readonly -trimpath -ldflags '-s -w' -o "$folder/keda-$program.$$" "./cmd/$program" &&
            mv "$folder/keda-$program.$$" "$folder/keda-$program") || return 1
    done
}
