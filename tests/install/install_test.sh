#!/usr/bin/env bash
# Installs a build into an empty folder and uses it from there as a stranger would: by the CMake package and by pkg-config.
#   install_test.sh BUILD_DIR shared|self-contained
set -euo pipefail
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/tree" >/dev/null

# The CMake package.
cmake -S "$root/tests/install/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$work/tree" \
    -DGPUTIDE_EXAMPLES="$root/examples" >/dev/null
cmake --build "$work/consumer" >/dev/null
for flavor in gputide full pure; do
    said=$("$work/consumer/consumer_of_$flavor")
    [ "$said" = "3 -> 6, proposed 9, limited by scale_up_limit" ] || { echo "consumer_of_$flavor printed: $said" >&2; exit 1; }
done
"$work/consumer/consumer_cpp" /dev/null 1 >/dev/null 2>&1 && { echo "consumer_cpp took an empty manifest" >&2; exit 1; }

# pkg-config, after the tree was moved once more.
mv "$work/tree" "$work/moved"
pc=$(dirname "$(find "$work/moved" -name gputide.pc)")
for package in gputide gputide-full gputide-pure; do
    flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs $package)
    # shellcheck disable=SC2086 # flags are words
    cc -std=c99 -Wall -Wextra -Wpedantic -Werror "$root/examples/c/numbers.c" -o "$work/by_pkg_config" $flags
    LD_LIBRARY_PATH=$(dirname "$pc") "$work/by_pkg_config" >/dev/null
done
header=$(sed -nE 's/^#define GPUTIDE_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' "$work/moved/include/gputide/gputide.h" | paste -sd .)
package=$(PKG_CONFIG_PATH=$pc pkg-config --modversion gputide)
[ "$package" = "$header" ] || { echo "gputide.pc says $package, gputide.h $header" >&2; exit 1; }
abi_json=$(PKG_CONFIG_PATH=$pc pkg-config --variable=abi_json gputide)
cmp "$root/bindings/abi.json" "$abi_json"

# The promise of the package about the network and parser libraries: these are the system's, simdjson is inside.
library=$(find "$work/moved" -name libgputide.so.1)
if [[ $2 == self-contained ]]; then
    "$root/tests/abi/library.sh" self-contained "$library"
    notices=$(find "$work/moved" -name THIRD_PARTY_NOTICES)
    for part in curl nghttp2 openssl zlib libyaml abseil simdjson; do
        grep -q "^$part [0-9]" "$notices" || { echo "THIRD_PARTY_NOTICES has nothing of $part" >&2; exit 1; }
    done
    [[ -s $(dirname "$notices")/sbom.cdx.json ]]
else
    needed=$(readelf -d "$library" | grep NEEDED)
    for other in libyaml libcurl libcrypto; do
        grep -q "$other" <<<"$needed" || { echo "$other is not linked" >&2; exit 1; }
    done
    if grep -q libsimdjson <<<"$needed"; then echo "libsimdjson is linked; a host's would take its place" >&2; exit 1; fi
fi
echo "installed tree: CMake package and pkg-config both work"
