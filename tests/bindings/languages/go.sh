# Go: run.sh go.  staticcheck and client-go, which the reconciler works with, come from Go's module proxy.

with_go=("$PWD/tests/bindings/build.sh" go)
STATICCHECK=honnef.co/go/tools/cmd/staticcheck@v0.8.2

check_toolchain() { "${with_go[@]}" true || exit 2; }

run_language() {
    (($# == 0)) || usage
    local tools=$PWD/build/bindings/go
    step 'generator'
    python3 tests/bindings/generator_test.py
    cd bindings/go
    step 'vet and gofmt'
    "${with_go[@]}" go vet ./...
    "${with_go[@]}" bash -c 'diff /dev/null <(gofmt -d .)'
    step 'tests and examples: leak order closed cancel nul big unicode concurrent exit wrong_abi missing short'
    GPUTIDE_LEAK_ROUNDS=${GPUTIDE_LEAK_ROUNDS:-20000} "${with_go[@]}" go test -timeout 30m ./...
    go_rest
    step 'conformance'
    python3 ../../tests/bindings/conformance go ../../tests/bindings/go/calls.go
    "${with_go[@]}" go build -C ../../tests/bindings/go -o "$tools/conformance" .
    ../../build/release/tests/gputide_conformance --through "$tools/conformance" ../../tests/cases/*.json
    python3 ../../tests/bindings/protocol_test.py ../../build/release/tests/gputide_protocol "$tools/conformance"
    step 'linked, without a look for the library'
    linked
    step 'cost'
    cd ../..
    bench/bindings/run.sh "$GPUTIDE_LIBRARY" go
}

run_rest() {
    local tools=$PWD/build/bindings/go
    cd bindings/go
    go_rest
}

# Systems without the library: the package compiles, and each call returns a LibraryError.
unsupported() {
    step 'without cgo, on macOS and on Windows'
    CGO_ENABLED=0 "${with_go[@]}" go test ./...
    GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 "${with_go[@]}" go vet ./...
    GOOS=windows GOARCH=amd64 CGO_ENABLED=0 "${with_go[@]}" go vet ./...
    # With cgo a C file would stop the build there.
    diff /dev/null <(GOOS=darwin GOARCH=arm64 CGO_ENABLED=1 "${with_go[@]}" go list -f '{{range .CFiles}}{{println .}}{{end}}' . | sed '/^$/d')
}

go_rest() {
    unsupported
    step 'staticcheck'
    mkdir -p "$tools"
    [[ -x $tools/staticcheck ]] || GOBIN=$tools "${with_go[@]}" go install "$STATICCHECK"
    "${with_go[@]}" "$tools/staticcheck" ./...
    step 'tests and examples with the race detector'
    "${with_go[@]}" go test -race ./...
    step 'the real use: a reconciler against a fake clientset'
    "${with_go[@]}" go test -C examples/reconciler ./...
}

# With the tag gputide_link: pkg-config's library, wherever the release build was installed.
linked() {
    local prefix
    prefix=$(mktemp -d)
    cmake --install ../../build/release --prefix "$prefix" >/dev/null
    local libraries
    libraries=$(dirname "$(find "$prefix" -name gputide-full.pc)")
    PKG_CONFIG_PATH=$libraries "${with_go[@]}" go build -tags gputide_link -o "$prefix/numbers" ./examples/numbers
    env -u GPUTIDE_LIBRARY LD_LIBRARY_PATH="$(dirname "$libraries")" "$prefix/numbers" | sed -n 1p
    rm -rf "$prefix"
}
