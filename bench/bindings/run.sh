#!/usr/bin/env bash
# What a binding adds to the bare C call, measured in one run with it, and what loading it costs.
#   bench/bindings/run.sh LIBRARY [LANGUAGE...]
# measure_LANGUAGE has how a language is measured; all of them are, unless some are named.  Prints a line per figure with its bound;
# exit status 1 where one is beyond it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

library=$(realpath "${1:?usage: bench/bindings/run.sh LIBRARY [LANGUAGE...]}")
shift
if ((!$#)); then set -- cpp csharp go java node python rust; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GPUTIDE_LIBRARY=$library
beyond=0

# figure NAME VALUE BOUND UNIT
figure() {
    local verdict=fine
    if awk -v value="$2" -v bound="$3" 'BEGIN { exit !(value > bound) }'; then verdict=beyond beyond=1; fi
    printf '%-44s %9s %-3s (at most %s)  %s\n' "$1" "$2" "$4" "$3" "$verdict"
}

# in_turns COMMAND...: C and the command, five times in turns, as another program on the machine slows whichever runs beside it.  The
# best of C's figures is c then, the best of the command's first figure and so on best[0], best[1].
in_turns() {
    local turn index said
    best=()
    c=$("$folder/decide" "$library")
    for turn in 1 2 3 4 5; do
        read -ra said < <("$@")
        for index in "${!said[@]}"; do best[index]=$(least "${best[index]:-}" "${said[index]}"); done
        c=$(least "$c" "$("$folder/decide" "$library")")
    done
}

least() { printf '%s\n' "$@" | sed '/^$/d' | sort -n | sed -n 1p; }

# C++: gputide.hpp, linked with the library.
measure_cpp() {
    "${CXX:-c++}" -std=c++17 -O2 -Wall -Wextra -Werror -Iinclude -o "$folder/cpp" bench/bindings/decide.cpp "$library" \
        -Wl,-rpath,"$(dirname "$library")"
    in_turns "$folder/cpp"
    echo "decide, memory reused: C $c ns, C++ ${best[0]} ns"
    figure "C++ as a share of C" $((best[0] * 100 / c)) 150 %
}

# C# on mono.
measure_csharp() {
    local csharp=$PWD/build/bindings/csharp
    tests/bindings/build.sh csharp . "$csharp" >/dev/null
    mcs -langversion:7 -optimize -out:"$csharp/Decide.exe" -r:"$csharp/Gputide.dll" bench/bindings/Decide.cs
    in_turns mono -O=all "$csharp/Decide.exe"
    echo "decide, one number: C $c ns, C# ${best[0]} ns"
    figure "C# above C" $((best[0] - c)) 600 ns
}

# Go: through cgo, the library opened at run time.
measure_go() {
    tests/bindings/build.sh go go build -C bench/bindings/go -o "$folder/go" .
    in_turns "$folder/go"
    echo "decide, memory reused: C $c ns, Go ${best[0]} ns; State.Decide with an observation ${best[1]} ns"
    figure "Go above C" $((best[0] - c)) 300 ns
}

# Java.  The classes are compiled below build/bindings, once.
measure_java() {
    local java=build/bindings/java
    tests/bindings/build.sh java bindings/java "$java" >/dev/null
    in_turns java -cp "$java/classes" bench/bindings/Decide.java
    echo "decide, memory reused: C $c ns, Java ${best[0]} ns; with a Decision made ${best[1]} ns"
    figure "Java above C" $((best[0] - c)) 50 ns
}

# Node: GPUTIDE_NODE_ADDON is the addon, else that of bindings/node/build.
measure_node() {
    in_turns node bench/bindings/decide.js
    echo "decide, memory reused: C $c ns, Node ${best[0]} ns; with the report ${best[1]} ns"
    figure "Node above C" $((best[0] - c)) 500 ns
}

# Python: PYTHON is the interpreter, python3 unless it is set.
measure_python() {
    local python=${PYTHON:-python3} import everything
    export PYTHONPATH=$PWD/bindings/python/src
    in_turns "$python" bench/bindings/decide.py
    echo "decide, memory reused: C $c ns, Python ${best[0]} ns"
    figure "Python above C" $((best[0] - c)) 3000 ns
    read -r import everything < <("$python" bench/bindings/import.py)
    figure "import gputide above import json" "$import" 30 ms
    echo "with every module and the library opened: $everything ms above import json"
}

# Rust: linked with the library, and with it opened at run time.
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

"${CC:-cc}" -O2 -Iinclude -o "$folder/decide" bench/bindings/decide.c -ldl
for language; do
    "measure_$language"
done
exit $beyond
