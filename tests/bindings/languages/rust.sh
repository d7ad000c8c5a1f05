# shellcheck shell=bash
# Rust, for run.sh.  tokio comes from the registry.  --vendored: also builds the self-contained library by the feature of that name and
# runs the checks inside a program that has it within, which compiles the library once more.
check_toolchain() {
    command -v cargo >/dev/null || fail 'no cargo, 1.77 or newer (Debian: apt-get install cargo-web rustc-web)'
}

run_language() {
    [[ -z ${1:-} || $1 == --vendored ]] || usage
    command -v valgrind >/dev/null || fail 'no valgrind (Debian: apt-get install valgrind)'
    rust_environment
    rust_lints
    rust_other_systems
    rust_tests
    rust_tokio
    rust_package
    rust_conformance
    step 'cost'
    bench/bindings/run.sh "$GPUTIDE_LIBRARY" rust
    if [[ ${1:-} == --vendored ]]; then rust_vendored; fi
}

run_rest() {
    rust_environment
    rust_lints
    rust_other_systems
    rust_tokio
    rust_package
}

rust_environment() {
    export CARGO_TARGET_DIR=$PWD/build/bindings/rust GPUTIDE_LIB_DIR=$PWD/build/release LD_LIBRARY_PATH=$PWD/build/release
}

rust() { (cd bindings/rust/gputide && cargo "$@"); }
rust_checks() { (cd tests/bindings/rust && cargo --offline "$@"); }

rust_lints() {
    step 'rustfmt, clippy, rustdoc'
    (cd bindings/rust && cargo fmt --all --check && cd ../../tests/bindings/rust && cargo fmt --check)
    local features
    for features in '' tokio dlopen tokio,dlopen; do
        rust clippy --quiet --workspace --all-targets --features "$features" -- -D warnings
    done
    rust_checks clippy --quiet --all-targets -- -D warnings
    (cd bindings/rust && RUSTDOCFLAGS='-D warnings' cargo doc --quiet --workspace --no-deps --features gputide/tokio)
}

# Systems without the library: the crates compile there.  Needs the targets: rustup target add TARGET.
rust_other_systems() {
    local target features
    for target in x86_64-apple-darwin x86_64-pc-windows-gnu; do
        step "compiles for $target"
        if ! rustup target add "$target"; then  # Debian's cargo has no other targets
            echo "NOT CHECKED: no standard library of Rust for $target" >&2
            continue
        fi
        for features in '' tokio dlopen; do
            rust check --quiet --target "$target" --features "$features"
        done
    done
}

rust_package() {
    step 'what the crates hold'
    local crate held said folder
    folder=$(mktemp -d)
    cp -rL --parents bindings/rust tests/bindings/rust "$folder"
    for crate in gputide-sys gputide; do
        cmake/package/carry.sh --sources "$folder/bindings/rust/$crate"
        held=$(cd "$folder/bindings/rust" && cargo package --quiet --allow-dirty --list --package "$crate")
        for file in LICENSE README.md src/lib.rs; do
            grep -qx "$file" <<<"$held" || fail "the crate $crate has no $file"
        done
    done
    # Only gputide-sys: gputide can be packaged once the registry has this release of it.
    said=$(cd "$folder/bindings/rust" && cargo package --allow-dirty --no-verify --package gputide-sys 2>&1)
    rm -rf "$folder"
    [[ $said != *warning* ]] || fail "$said"
}

rust_tests() {
    step 'tests: leak order closed cancel nul big unicode concurrent exit fork missing short'
    GPUTIDE_LEAK_ROUNDS=${GPUTIDE_LEAK_ROUNDS:-20000} GPUTIDE_RUNTIME_SECONDS=5 rust_checks test --quiet
    step 'tests: wrong_abi, and all of them with the library opened at run time'
    rust_checks test --quiet --features dlopen
}

rust_tokio() {
    step 'the crates with tokio'
    rust test --quiet --workspace --features gputide/tokio
    step 'the real use: a service that follows its load'
    rust run --quiet --features tokio --example service
}

rust_conformance() {
    local program=$CARGO_TARGET_DIR/debug/gputide-conformance features
    for features in '' dlopen; do
        step "conformance ${features:-linked}"
        rust_checks build --quiet --bin gputide-conformance --features "$features"
        build/release/tests/gputide_conformance --through "$program" tests/cases/*.json | tail -n 1
        python3 tests/bindings/protocol_test.py build/release/tests/gputide_protocol "$program"
    done
    step 'leak under valgrind: every call, each order of closing'
    local watched=(valgrind --quiet --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9)
    python3 tests/bindings/protocol_test.py build/release/tests/gputide_protocol "${watched[*]} $program"
}

rust_vendored() {
    step 'the feature vendored'
    (
        unset GPUTIDE_LIB_DIR LD_LIBRARY_PATH
        rust_checks test --quiet --features vendored
        local program=$CARGO_TARGET_DIR/debug/examples/numbers_alone
        rust_checks build --quiet --features vendored --examples
        "$program" | sed -n 1p
        if ldd "$program" | grep -E 'gputide|curl|ssl|stdc\+\+'; then
            echo "run.sh: $program still needs these" >&2
            exit 1
        fi
    )
}
