#!/usr/bin/env bash
# The pure library as sources (cmake/amalgamate.py), built for each platform and run over every conformance case that it reaches.
#   tests/platforms/run.sh [--write | PLATFORM...]    all platforms; --write puts the table into docs/platforms.md
#   --runner FILE     the built gputide_conformance (build/dev/tests/gputide_conformance or build/release/…)
#   --ziglang FILE    a Python that has PyPI's package ziglang (ZIGLANG_PYTHON, or python3)
# On the build machine the runner checks each answer of the native program.  The requests are recorded, and the programs of the other
# platforms must give the same answers bit for bit (compare.py).  A row says so if a compiler or an emulator is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$root/tests/platforms
work=${XDG_CACHE_HOME:-$HOME/.cache}/gputide/platforms
runner= write= only=()
zig_python=${ZIGLANG_PYTHON:-python3}
while (($#)); do
    case $1 in
        --write) write=1 ;;
        --runner) runner=$2; shift ;;
        --ziglang) zig_python=$2; shift ;;
        --*) sed -n '2,7p' "$0" >&2; exit 2 ;;
        *) only+=("$1") ;;
    esac
    shift
done
[[ -z $write || ${#only[@]} == 0 ]] || { echo "run.sh: --write replaces the whole table; name no platform with it" >&2; exit 2; }
for built in dev release; do
    [[ -n $runner || ! -x $root/build/$built/tests/gputide_conformance ]] || runner=$root/build/$built/tests/gputide_conformance
done

# name | system | compiler | how it runs ("": built only) | further flags
platforms() {
    local zig="$zig_python -m ziglang c++ -target"
    cat <<END
linux-x86_64|Linux x86-64, glibc|g++|native|
linux-x86_64-clang|Linux x86-64, glibc|$(newest_clang)|native|
linux-aarch64|Linux aarch64, glibc|aarch64-linux-gnu-g++|qemu-aarch64 -L /usr/aarch64-linux-gnu|
linux-x86_64-musl|Linux x86-64, musl|$zig x86_64-linux-musl|native|
linux-aarch64-musl|Linux aarch64, musl|$zig aarch64-linux-musl|qemu-aarch64|
windows-x86_64|Windows x86-64|$zig x86_64-windows-gnu|$(wine64_program)|
macos-aarch64|macOS arm64|$zig aarch64-macos||
macos-x86_64|macOS x86-64|$zig x86_64-macos||
wasm32|WebAssembly (WASI)|$zig wasm32-wasi|node $here/wasi.mjs|-fno-exceptions
END
}

# Debian's package wine64 alone has no command in PATH.
wine64_program() { command -v wine64 || echo /usr/lib/wine/wine64; }

newest_clang() { compgen -c clang++- | sort -t- -k2 -n | tail -n 1 | grep . || echo clang++; }

# Whether the first word of a command is there, and for ziglang the package.
is_there() {
    [[ $1 == "" || $1 == native ]] && return 0
    command -v "${1%% *}" >/dev/null || return 1
    [[ $1 != *"-m ziglang"* ]] || "$zig_python" -c 'import ziglang' 2>/dev/null
}

# Compiles the sources and the program of protocol 1 for one platform: build NAME FLAGS COMPILER...
build() {
    local name=$1 flags=$2 out=$work/$1 shim=()
    shift 2
    mkdir -p "$out"
    [[ $flags != *-fno-exceptions* ]] || shim=(-include "$here/no_exceptions.hpp")
    local key
    key=$( (echo "$flags $*" && cat "$work/sources/gputide_pure.cpp" "$here"/*.[ch]pp &&
        find "$root/tests/conformance" -type f -exec cat {} +) | sha256sum)
    [[ $(cat "$out/key" 2>/dev/null) != "$key" ]] || return 0
    rm -f "$out/key" "$out/gputide_pure.o" "$out/protocol$(suffix "$name")"
    # shellcheck disable=SC2086 # flags are words
    {
        nice "$@" -std=c++20 -pedantic-errors -Os -ffp-contract=off -fno-rtti $flags -DGPUTIDE_SALT=1 -c "$work/sources/gputide_pure.cpp" -o "$out/gputide_pure.o" &&
            nice "$@" -std=c++20 -Os -ffp-contract=off $flags -DGPUTIDE_PURE_ONLY "${shim[@]}" -I"$root/tests/conformance" \
                -I"$root/include" -I"$work/json" "$here/protocol.cpp" "$out/gputide_pure.o" -o "$out/protocol$(suffix "$name")"
    } >"$out/build.log" 2>&1 || return 1
    echo "$key" >"$out/key"
}

suffix() { case $1 in windows*) echo .exe ;; wasm*) echo .wasm ;; esac; }

# The runner on the native program: the answers are right, and its requests are kept.
check_native() {
    [[ -n $runner ]] || { echo "build gputide_conformance first, or name it with --runner" >&2; exit 2; }
    "$runner" --reached --through "tee $work/requests | $work/linux-x86_64/protocol" "$root"/tests/cases/*.json >"$work/native.log" ||
        { grep -E 'expected|passed' "$work/native.log" | head -20 >&2; exit 1; }
}

# One row of the table for a platform.
row() {
    local name=$1 system=$2 compiler=$3 way=$4 flags=$5 said size version
    is_there "$compiler" || { echo "| $system | – | – | – | not had: \`${compiler%% *}\` is missing |"; return; }
    # shellcheck disable=SC2086 # the compiler is a command
    build "$name" "$flags" $compiler || { echo "| $system | – | – | – | does not build: $(grep -m 1 error "$work/$name/build.log") |"; return 1; }
    # shellcheck disable=SC2086
    version=$($compiler --version | head -n 1 | sed -E 's/^.*(g\+\+|clang)[^0-9]*([0-9.]+).*/\1 \2/')
    [[ $compiler != *ziglang* ]] || version="$version of ziglang $("$zig_python" -m ziglang version)"
    size=$(stat -c %s "$work/$name/gputide_pure.o")
    if [[ -z $way ]]; then echo "| $system | $version | $((size / 1000)) kB | – | built, did not run |"; return; fi
    is_there "$way" || { echo "| $system | $version | $((size / 1000)) kB | – | built; \`${way%% *}\` is missing |"; return; }
    [[ $name != linux-x86_64 ]] || check_native
    # shellcheck disable=SC2086
    ${way/native/} "$work/$name/protocol$(suffix "$name")" <"$work/requests" 2>"$work/$name/run.log" | tr -d '\r' >"$work/$name/answers" || true
    said=$("$here/compare.py" "$work/linux-x86_64/answers" "$work/$name/answers") ||
        { echo "| $system | $version | $((size / 1000)) kB | differs | $said |"; return 1; }
    read -r cases equal rounded <<<"$said"
    case $way in native) way="the machine itself" ;; node*) way="Node $(node --version | tr -d v)" ;; *) way=$(basename "${way%% *}") ;; esac
    echo "| $system | $version | $((size / 1000)) kB | $equal of $cases$( ((rounded == 0)) || echo ", $rounded within rounding") | $way |"
}

# Puts the rows between the markers of the page.
write_table() {  # TABLE PAGE
    python3 - "$@" <<'PYTHON'
import datetime
import re
import sys
from pathlib import Path

HEAD = "| platform | compiler | object file | cases equal bit for bit | ran on |\n|---|---|---|---|---|\n"

table, page = (Path(name) for name in sys.argv[1:3])
day = datetime.date.today().isoformat()
text = f"<!-- table -->\n{HEAD}{table.read_text(encoding='utf-8')}\n{day}, `tests/platforms/run.sh --write`.\n<!-- /table -->"
before = page.read_text(encoding="utf-8")
after = re.sub(r"<!-- table -->.*<!-- /table -->", lambda _: text, before, flags=re.S)
page.write_text(after, encoding="utf-8")
PYTHON
}

main() {
    mkdir -p "$work/json"
    "$root/cmake/amalgamate.py" "$work/sources"
    ln -sfn /usr/include/nlohmann "$work/json/nlohmann"
    local failed=0 name system compiler way flags line
    : >"$work/table"
    while IFS='|' read -r name system compiler way flags; do
        ((${#only[@]} == 0)) || [[ " ${only[*]} linux-x86_64 " == *" $name "* ]] || continue
        line=$(row "$name" "$system" "$compiler" "$way" "$flags") || failed=1
        echo "$line" | tee -a "$work/table"
    done < <(platforms)
    [[ -z $write ]] || write_table "$work/table" "$root/docs/platforms.md"
    return $failed
}
main
