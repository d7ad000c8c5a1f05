#!/usr/bin/env bash
# What is shipped has what docs/security.md promises of its build: canaries, checked copies, marked jump targets, a table of addresses
# that is read-only after the start, no run path, and no path of the machine that built it.
#   hardening.sh SOURCE BUILD FILE...
set -euo pipefail
source=$1 build=$2
shift 2
failed=0
expect() {  # WHAT COMMAND...
    local what=$1
    shift
    "$@" || { echo "$file: $what" >&2; failed=1; }
}
has() { grep -qE "$1" <<<"$2"; }
lacks() { ! grep -m 5 -E "$1" <<<"$2" >&2; }

# shellcheck disable=SC2086  # CXX may have arguments
start_files=$(readelf --notes "$(${CXX:-c++} -print-file-name=crti.o)")

for file; do
    dynamic=$(readelf --wide --dynamic "$file")
    imported=$(nm --dynamic --undefined-only "$file")
    expect 'not every address is bound at the start (BIND_NOW)' has 'FLAGS.*(BIND_NOW|NOW)' "$dynamic"
    expect 'no segment is read-only after the start (RELRO)' has GNU_RELRO "$(readelf --wide --segments "$file")"
    expect 'the stack may be executed' has 'GNU_STACK.* RW ' "$(readelf --wide --segments "$file")"
    expect 'no canary on the stack' has __stack_chk_fail "$imported"
    expect 'no checked copy (_FORTIFY_SOURCE)' has '__(memcpy|snprintf|vsnprintf|read|memmove|printf|fprintf|strcpy|strncpy|memset|fread|poll|recv)_chk' "$imported"
    expect 'a run path of the build tree' lacks '(RPATH|RUNPATH).*(\[|:)/' "$dynamic"
    # As cmake/hardening.cmake: the processor checks the marks only where the start files have them.
    if [[ $(uname -m) == x86_64 && $start_files == *IBT* ]]; then
        # A function that may be called through a pointer begins with a mark; what the compiler brings along has a few.
        marks=$(objdump --disassemble --no-show-raw-insn --section=.text "$file" | grep -c endbr64) || true
        expect "$marks marked jump targets (-fcf-protection)" test "$marks" -ge 100
    fi
    expect 'a path of the build is inside' lacks "^($source|$build|$HOME)/" "$(strings --all "$file")"
done
exit $failed
