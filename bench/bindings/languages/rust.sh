# shellcheck shell=bash
# Rust, for run.sh: linked with the library, and with it opened at run time.
measure_rust() {
    local features ns
    export GPUTIDE_LIB_DIR LD_LIBRARY_PATH CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/build/bindings/rust}
    GPUTIDE_LIB_DIR=$(dirname "$library") LD_LIBRARY_PATH=$(dirname "$library")
    for features in '' dlopen; do
        cargo build --quiet --offline --release --manifest-path bindings/rust/checks/Cargo.toml --features "$features" --bin gputide-cost
        # The best of five each: the bound is shorter than what another program on the machine adds.
        c=$(for _ in 1 2 3 4 5; do "$folder/decide" "$library"; done | sort -n | head -n 1)
        ns=$(for _ in 1 2 3 4 5; do "$CARGO_TARGET_DIR/release/gputide-cost"; done | sort -n | head -n 1)
        echo "decide, memory reused: C $c ns, Rust ${features:-linked} $ns ns"
        figure "Rust above C, ${features:-linked}" $((ns - c)) 50 ns
    done
}
