#!/usr/bin/env bash
# A stripped copy of the library is not larger than it may be.
#   size.sh libgputide.so MAX_BYTES
set -euo pipefail
library=$1
max=$2
copy=$(mktemp)
trap 'rm -f "$copy"' EXIT
strip -o "$copy" "$library"
bytes=$(stat -c %s "$copy")
echo "$bytes bytes stripped, at most $max"
((bytes <= max))
