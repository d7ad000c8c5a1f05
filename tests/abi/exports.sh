#!/usr/bin/env bash
# Every defined symbol that leaves the library is in the list for its flavor, and the list is complete.
#   exports.sh LIBRARY SONAME FLAVOR LIST      LIST has a line per function: its name and the flavors that have it
set -euo pipefail
library=$1 expected_soname=$2 flavor=$3 list=$4
expected=$(awk -v flavor="$flavor" '{ for (i = 2; i <= NF; ++i) if ($i == flavor) print $1 }' "$list" | sort -u)
# Sanitized builds add symbols of their own runtime; those are not the library's.
exported=$(nm --dynamic --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' | grep -v -E '^(GPUTIDE_1|__asan_|__odr_asan|__ubsan|__tsan)' | sort -u)
if ! diff <(echo "$expected") <(echo "$exported"); then
    echo "the exports of $library (right) differ from those of flavor $flavor in $list (left)" >&2
    exit 1
fi
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
[ "$soname" = "$expected_soname" ] || { echo "SONAME is $soname, expected $expected_soname" >&2; exit 1; }
