# shellcheck shell=bash
# Rust, for run.sh: linked with the library, and with it opened at run time.
measure_rust() {
    local features
    export GPUTIDE_LIB_DIR LD_LIBRARY_PATH CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/build/bindings/rust}
    GPUTIDE_LIB_DIR=$(dirname "$library") LD_LIBRARY_PATH=$(dirname "$library")
    for features in '' dlopen; do
        cargo build --quiet --offline --release --manifest-path tests/bindings/rust/Cargo.toml --features "$features" --bin gputide-cost
        in_turns "$CARGO_TARGET_DIR/release/gputide-cost"
        echo "decide, memory reused: C $c ns, Rust ${features:-linked} ${best[0]} ns"
        figure "Rust above C, ${features:-linked}" $((best[0] - c)) 50 ns
    done
}
