#!/usr/bin/env bash
# The self-contained library needs the C library alone.
#   self_contained.sh LIBRARY
set -euo pipefail
needed=$(readelf --dynamic "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
if others=$(grep -v -E '^(libc|libm|ld-linux.*)\.so\.[0-9]+$' <<<"$needed"); then
    echo "$1 also needs:" $others >&2
    exit 1
fi
grep -q '^libc\.so' <<<"$needed" || { echo "readelf says nothing of $1" >&2; exit 1; }
if readelf --dynamic "$1" | grep -q TEXTREL; then echo "$1 has text relocations: an archive is not position-independent" >&2; exit 1; fi
