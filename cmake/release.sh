#!/usr/bin/env bash
# Builds the artifacts of a release into one folder, with SHA256SUMS.  Nothing is uploaded.  docs/releasing.md
#   cmake/release.sh OUT [PART...]      parts: sources pure playground debian wheel; default: sources pure
# Of sources and pure the same commit gives the same bytes, in whichever folder they are built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${1:?usage: cmake/release.sh OUT [PART...]}
shift
[[ -z $(git status --porcelain) ]] || { echo "cmake/release.sh: the tree differs from HEAD; commit or remove what git status shows" >&2; exit 1; }
parts=("$@")
((${#parts[@]})) || parts=(sources pure)
mkdir -p "$out"
out=$(cd "$out" && pwd)
version=$(sed -nE 's/^project\(gputide VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Packs a folder of $work; the order, owners and times of its files are fixed.
pack() {
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode=go=rX,u=rwX -cf - "$1" | gzip -9n >"$out/$1.tar.gz"
}

sources() { git archive --prefix="gputide-$version/" HEAD | gzip -9n >"$out/gputide-$version.tar.gz"; }

pure() {
    local name=gputide-pure-$version
    cmake/amalgamate.py "$work/$name"
    cmake/package/carry.sh "$work/$name/gputide_pure.cpp" "$work/$name"
    sed -E 's/\[([^]]+)\]\([^):]+\)/\1/g' docs/platforms.md >"$work/$name/README.md"  # links lead to files of the tree
    cp "$work/$name/sbom.cdx.json" "$out/$name.cdx.json"
    pack "$name"
}

playground() {
    local name=gputide-playground-$version
    examples/playground/build.sh "$work/$name"
    cmake/package/carry.sh "$work/$name/gputide.wasm.js" "$work/$name"
    cp "$work/$name/sbom.cdx.json" "$out/$name.cdx.json"
    pack "$name"
}

debian() {
    cmake/package/build.sh --no-install
    cp build/package/debian/*.deb "$out"
}

wheel() { python3 -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir "$out" bindings/python; }

for part in "${parts[@]}"; do
    case $part in
        sources | pure | playground | debian | wheel) "$part" ;;
        *) echo "cmake/release.sh: no part $part" >&2; exit 2 ;;
    esac
done
(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS && cat SHA256SUMS)
