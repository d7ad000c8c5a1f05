#!/usr/bin/env bash
# Builds the artifacts of a release twice, in two clones in different folders, and compares them byte by byte.
#   tests/package/release_twice.sh [--aarch64] [PART...]     default: sources pure wheel npm jar crate go chart image
# Each clone builds the library by itself, unless GPUTIDE_LIBRARY_x86_64 and GPUTIDE_LIBRARY_aarch64 name built ones.  With a compiler
# cache this compares the links alone; CCACHE_DISABLE=1 compiles twice.  KEEP=FOLDER keeps the first clone's artifacts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
options=()
[[ ${1:-} != --aarch64 ]] || { options=(--aarch64); shift; }
(($#)) || set -- sources pure wheel npm jar crate go chart image
commit=$(git rev-parse HEAD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Both clones must have the same library, also if another build replaces it meanwhile.
for given in GPUTIDE_LIBRARY_x86_64 GPUTIDE_LIBRARY_aarch64; do
    [[ -n ${!given:-} ]] || continue
    cp -L "${!given}" "$work/$given"
    export "$given=$work/$given"
done

for clone in first another/second; do
    git clone --quiet --no-hardlinks . "$work/$clone"
    git -C "$work/$clone" checkout --quiet --detach "$commit"
    if [[ -d bindings/node/node_modules/node-api-headers ]]; then
        mkdir "$work/$clone/bindings/node/node_modules"
        cp -r bindings/node/node_modules/node-api-headers "$work/$clone/bindings/node/node_modules"
    fi
    (cd "$work/$clone" && nice cmake/release.sh "${options[@]}" "$work/out-${clone##*/}" "$@") >"$work/log" 2>&1 || { tail -n 50 "$work/log" >&2; exit 1; }
    rm -rf "${work:?}/$clone"
done
[[ -z ${KEEP:-} ]] || cp -r "$work/out-first/." "$KEEP"
diff "$work/out-first/SHA256SUMS" "$work/out-second/SHA256SUMS" >"$work/different" || true
cat "$work/different"
echo "$(wc -l <"$work/out-first/SHA256SUMS") files, $(grep -c '^<' "$work/different" || true) differ"
[[ ! -s $work/different ]]
