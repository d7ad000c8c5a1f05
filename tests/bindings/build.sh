#!/usr/bin/env bash
# What the ctests build of a language, without its package manager and the network.
#   build.sh java SOURCE BUILD [CMAKE [C-COMPILER]]    shim, classes and tests of bindings/java
#   build.sh csharp ROOT OUT                           bindings/csharp, its tests, its examples and the conformance program, by Debian's mono
#   build.sh go COMMAND...                             runs a command where a Go that bindings/go can be built with is there
set -euo pipefail

build_java() {
    local source=$1 build=$2 cmake=${3:-cmake} compiler=${4:-cc}
    "$cmake" -S "$source" -B "$build" -DGPUTIDE_JAVA_TESTS=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$compiler" -Wno-dev
    "$cmake" --build "$build"
}

build_csharp() {
    local root=$1 out=$2 csharp=bindings/csharp tool example
    for tool in mcs mono; do
        command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install mono-mcs mono-runtime"; exit 1; }
    done
    mkdir -p "$out"
    cd "$root"
    python3 -m bindings.generator csharp >/dev/null
    python3 tests/bindings/conformance csharp "$out/Calls.cs"
    compile_csharp -unsafe -target:library -doc:"$out/Gputide.xml" -out:"$out/Gputide.dll" $csharp/src/*.cs
    compile_csharp -out:"$out/Conformance.exe" -r:"$out/Gputide.dll" tests/bindings/csharp/*.cs "$out/Calls.cs"
    compile_csharp -out:"$out/Tests.exe" -r:"$out/Gputide.dll" $csharp/tests/*.cs tests/bindings/csharp/Json.cs
    for example in $csharp/examples/*.cs; do
        compile_csharp -out:"$out/$(basename "$example" .cs).exe" -r:"$out/Gputide.dll" "$example"
    done
}

compile_csharp() { mcs -debug -optimize -d:TRACE -langversion:7 -warnaserror "$@"; }

build_go() {
    local remedy version
    PATH=$PATH:/usr/local/go/bin # where go.dev's archive goes
    remedy="bindings/go needs Go 1.24 or newer: unpack go.dev/dl's archive into /usr/local, or put its go into PATH"
    command -v go >/dev/null || {
        echo "build.sh: there is no go; $remedy" >&2
        exit 2
    }
    version=$(GOTOOLCHAIN=local go env GOVERSION)
    if [[ ! $version =~ ^go1\.([0-9]+) || ${BASH_REMATCH[1]} -lt 24 ]]; then
        echo "build.sh: $(command -v go) is $version; $remedy" >&2
        exit 2
    fi
    # The toolchain that is here, and no module but this one: nothing is fetched.
    export GOTOOLCHAIN=local
    exec "$@"
}

"build_$1" "${@:2}"
