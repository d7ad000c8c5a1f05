# shellcheck shell=bash
# The programs of a control plane, built as ordinary Go modules at the versions that programs/*/go.mod pin.
#
#     source tests/cluster/programs.sh
#     programs_folder                prints where they are: below ${XDG_CACHE_HOME:-~/.cache}, by what pins them
#     get_programs                   builds those that are missing there; some 20 processor minutes where nothing is cached

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
