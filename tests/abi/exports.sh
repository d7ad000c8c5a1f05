#!/usr/bin/env bash
# Every defined symbol that leaves the library is in the list, and the list is whole.
#   exports.sh libgputide.so exports.txt
set -euo pipefail
library=$1
list=$2
# Sanitised builds add symbols of their own runtime; those are not the library's.
exported=$(nm --dynamic --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' | grep -v -E '^(GPUTIDE_1|__asan_|__odr_asan|__ubsan|__tsan)' | sort -u)
if ! diff <(sort -u "$list") <(echo "$exported"); then
    echo "the exports of $library (right) differ from $list (left)" >&2
    exit 1
fi
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
[ "$soname" = libgputide.so.1 ] || { echo "SONAME is $soname, expected libgputide.so.1" >&2; exit 1; }
