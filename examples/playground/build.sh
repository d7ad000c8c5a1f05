#!/usr/bin/env bash
# Builds the page into a folder that any web server, or the file system, can show:  examples/playground/build.sh OUT
# Needs PyPI's package ziglang (in the Python that ZIGLANG_PYTHON names), Debian's binaryen, and the source packages of simdjson and
# libyaml, which cmake/debian_source.sh fetches once.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:?usage: build.sh OUT}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)  # of its own: two builds at a time would mix their files
trap 'rm -rf "$work"' EXIT
zig=("${ZIGLANG_PYTHON:-python3}" -m ziglang)
target=(-target wasm32-wasi -Os -Xclang -Oz)  # zig takes -Oz for -Os
command -v wasm-opt >/dev/null || { echo "build.sh: wasm-opt is not installed (Debian: binaryen)" >&2; exit 1; }

"$root/cmake/amalgamate.py" "$work"
yaml=$("$root/cmake/libyaml.sh" "$work" nice "${zig[@]}" cc "${target[@]}")
nice "${zig[@]}" c++ "${target[@]}" -std=c++20 -fno-rtti -fno-exceptions -ffp-contract=off -DGPUTIDE_YAML=1 -DGPUTIDE_SALT=1 \
    -I"$yaml/include" -c "$work/gputide_pure.cpp" -o "$work/gputide_pure.o"
nice "${zig[@]}" c++ "${target[@]}" -std=c++20 -fno-rtti -fno-exceptions -mexec-model=reactor -I"$work" "$here/engine.cpp" \
    "$work"/gputide_pure.o "$work"/yaml_*.o -Wl,--gc-sections -Wl,--strip-all -o "$work/linked.wasm"
wasm-opt -Oz --enable-bulk-memory --enable-sign-ext --enable-mutable-globals --enable-nontrapping-float-to-int "$work/linked.wasm" \
    -o "$work/gputide.wasm"
cp "$here"/*.html "$here"/*.css "$here"/*.js "$out"
printf "'use strict';\nconst GPUTIDE_WASM = '%s';\n" "$(base64 -w 0 "$work/gputide.wasm")" >"$out/gputide.wasm.js"
echo "$out/index.html: WebAssembly $(stat -c %s "$work/gputide.wasm") bytes, $(gzip -9 -c "$work/gputide.wasm" | wc -c) compressed"
