#!/usr/bin/env bash
# libgputide-pure needs no network library and no compression library.
#   needs.sh libgputide-pure.so
set -euo pipefail
needed=$(readelf --dynamic "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "$needed"
if grep -E '^lib(curl|ssl|crypto|z|nghttp2)\.' <<<"$needed"; then
    echo "$1 needs the libraries above; it should need the C++ runtime and libyaml only" >&2
    exit 1
fi
