#!/usr/bin/env bash
# What a library that is shipped has, needs and exports.
#   library.sh exports LIBRARY SONAME FLAVOR LIST    every symbol that leaves it is in the list for its flavor, and the list is complete;
#                                                    LIST has a line per function: its name and the flavors that have it
#   library.sh pure LIBRARY                          libgputide-pure needs no network library and no compression library
#   library.sh self-contained LIBRARY                the self-contained library needs the C library alone
#   library.sh size LIBRARY MAX_BYTES                a stripped copy is not larger than it may be
#   library.sh hardening SOURCE BUILD FILE...        each has what docs/security.md promises of its build: canaries, checked copies, marked
#                                                    jump targets, a table of addresses that is read-only after the start, no run path,
#                                                    and no path of the machine that built it
set -euo pipefail

needed() { readelf --dynamic "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

check_exports() {
    local library=$1 expected_soname=$2 flavor=$3 list=$4 expected exported soname
    expected=$(awk -v flavor="$flavor" '{ for (i = 2; i <= NF; ++i) if ($i == flavor) print $1 }' "$list" | sort -u)
    # Sanitized builds add symbols of their own runtime; those are not the library's.
    exported=$(nm --dynamic --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' | grep -v -E '^(GPUTIDE_1|__asan_|__odr_asan|__ubsan|__tsan)' | sort -u)
    if ! diff <(echo "$expected") <(echo "$exported"); then
        echo "the exports of $library (right) differ from those of flavor $flavor in $list (left)" >&2
        exit 1
    fi
    soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
    [ "$soname" = "$expected_soname" ] || { echo "SONAME is $soname, expected $expected_soname" >&2; exit 1; }
}

check_pure() {
    local libraries
    libraries=$(needed "$1")
    echo "$libraries"
    if grep -E '^lib(curl|ssl|crypto|z|nghttp2)\.' <<<"$libraries"; then
        echo "$1 needs the libraries above; it should need the C++ runtime and libyaml only" >&2
        exit 1
    fi
}

check_self-contained() {
    local libraries others
    libraries=$(needed "$1")
    if others=$(grep -v -E '^(libc|libm|ld-linux.*)\.so\.[0-9]+$' <<<"$libraries"); then
        echo "$1 also needs:" $others >&2
        exit 1
    fi
    grep -q '^libc\.so' <<<"$libraries" || { echo "readelf says nothing of $1" >&2; exit 1; }
    if readelf --dynamic "$1" | grep -q TEXTREL; then echo "$1 has text relocations: an archive is not position-independent" >&2; exit 1; fi
}

check_size() {
    local library=$1 max=$2 bytes
    copy=$(mktemp)
    trap 'rm -f "$copy"' EXIT
    strip -o "$copy" "$library"
    bytes=$(stat -c %s "$copy")
    echo "$bytes bytes stripped, at most $max"
    ((bytes <= max))
}

check_hardening() {
    local source=$1 build=$2 dynamic imported segments marks start_files
    shift 2
    failed=0
    # shellcheck disable=SC2086  # CXX may have arguments
    start_files=$(readelf --notes "$(${CXX:-c++} -print-file-name=crti.o)")
    for file; do
        dynamic=$(readelf --wide --dynamic "$file")
        imported=$(nm --dynamic --undefined-only "$file")
        segments=$(readelf --wide --segments "$file")
        expect 'not every address is bound at the start (BIND_NOW)' has 'FLAGS.*(BIND_NOW|NOW)' "$dynamic"
        expect 'no segment is read-only after the start (RELRO)' has GNU_RELRO "$segments"
        expect 'the stack may be executed' has 'GNU_STACK.* RW ' "$segments"
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
}

expect() {  # WHAT COMMAND...: of $file
    local what=$1
    shift
    "$@" || { echo "$file: $what" >&2; failed=1; }
}
has() { grep -qE "$1" <<<"$2"; }
lacks() { ! grep -m 5 -E "$1" <<<"$2" >&2; }

"check_$1" "${@:2}"
