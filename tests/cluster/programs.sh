# shellcheck shell=bash
# The programs of a control plane, built as ordinary Go modules.  What Kubernetes and KEDA are is pinned once, for tests/originals and
# for these: tests/originals/programs/{kubernetes,keda}/go.mod; helm and kwok by programs/*/go.mod.
#
#     source tests/cluster/programs.sh
#     programs_folder                prints where they are: below ${XDG_CACHE_HOME:-~/.cache}, by what pins them
#     get_programs                   builds those that are missing there; some 20 processor minutes where nothing is cached
#     get_keda                       KEDA's operator and metrics adapter likewise, which the rivals' tests alone need; as much again
#     keda_source                    prints where that module's files are, among them its definitions and Roles

PROGRAMS_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/programs
ORIGINALS_SOURCE=$(cd "$PROGRAMS_SOURCE/../../originals/programs" && pwd)
PROGRAMS=(kube-apiserver kube-controller-manager kube-scheduler kubectl)

kubernetes_version() {
    sed -n 's|^\tk8s.io/kubernetes \(v[0-9.]*\).*|\1|p' "$ORIGINALS_SOURCE/kubernetes/go.mod"
}

programs_folder() {
    local pins
    pins=$(cat "$PROGRAMS_SOURCE"/*/go.mod "$ORIGINALS_SOURCE"/{kubernetes,keda}/go.mod | sha256sum)
    echo "${XDG_CACHE_HOME:-$HOME/.cache}/gputide/cluster/$(kubernetes_version)-${pins:0:8}"
}

get_programs() {
    local folder program
    folder=$(programs_folder)
    mkdir -p "$folder"
    for program in "${PROGRAMS[@]}"; do
        build_program "$ORIGINALS_SOURCE/kubernetes" "./$program" "$folder/$program" "$(kubernetes_flags)" || return 1
    done
    build_of_module "$PROGRAMS_SOURCE/helm" helm.sh/helm/v3 ./cmd/helm "$folder/helm" &&
        build_of_module "$PROGRAMS_SOURCE/kwok" sigs.k8s.io/kwok ./cmd/kwok "$folder/kwok" &&
        get_stages "$folder/kwok-stages"
}

# The stages of nodes and pods, as kwok has it.  Jobs' pods end by the hand of a test: pod-complete is left out.
get_stages() {
    local source
    source=$(module_source "$PROGRAMS_SOURCE/kwok" sigs.k8s.io/kwok)/kustomize/stage &&
        install -m 644 -D -t "$1" "$source"/node/{fast,heartbeat-with-lease}/node-*.yaml \
            "$source"/pod/general/pod-{create,ready,delete}.yaml
}

# The version that a release's own build puts into its programs, and an API server tells at /version.
kubernetes_flags() {
    local version field=k8s.io/component-base/version major minor rest
    version=$(kubernetes_version)
    IFS=. read -r major minor rest <<<"${version#v}"
    echo "-X $field.gitVersion=$version -X $field.gitMajor=$major -X $field.gitMinor=$minor"
}

# build_program FOLDER PACKAGE PROGRAM [LINKER FLAGS]: whole or not at all, also where another process builds it at this moment.
build_program() {
    local source=$1 package=$2 program=$3
    [[ -x $program ]] && return
    echo "cluster: building ${program##*/} of ${program%/*}" >&2
    (cd "$source" && nice -n 10 go build -p 2 -mod=readonly -trimpath -ldflags "-s -w ${4:-}" -o "$program.$$" "$package" &&
        mv "$program.$$" "$program")
}

# build_of_module FOLDER MODULE PACKAGE PROGRAM: builds a main package of another module in that module, so its pins are its own
# go.mod's.  FOLDER/go.mod has the module's version, and FOLDER/go.sum holds it to its hash.
build_of_module() {
    local source
    [[ -x $4 ]] && return
    source=$(module_source "$1" "$2") && build_program "$source" "$3" "$4"
}

module_source() {
    (cd "$1" && go mod download "$2" && go list -mod=readonly -m -f '{{.Dir}}' "$2")
}

keda_source() { module_source "$ORIGINALS_SOURCE/keda" github.com/kedacore/keda/v2; }

get_keda() {
    local folder program
    folder=$(programs_folder)
    for program in operator adapter; do
        build_program "$ORIGINALS_SOURCE/keda" "github.com/kedacore/keda/v2/cmd/$program" "$folder/keda-$program" || return 1
    done
}
