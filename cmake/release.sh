#!/usr/bin/env bash
# Builds the artifacts of a release into one folder, with SHA256SUMS and provenance.json.  Nothing is uploaded.  docs/releasing.md
#   cmake/release.sh [--aarch64] OUT [PART...]
#       PART: sources pure playground debian wheel musl npm jar crate nuget go chart image, or all; default: sources pure
#       --aarch64: wheel, musl, npm, jar, nuget and image have both machines, x86_64 and aarch64
#   GPUTIDE_LIBRARY_x86_64=FILE and GPUTIDE_LIBRARY_aarch64=FILE: a built self-contained library, which is not built again
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
machines=(x86_64)
[[ ${1:-} != --aarch64 ]] || { machines+=(aarch64); shift; }
out=${1:?usage: cmake/release.sh [--aarch64] OUT [PART...]}
shift
[[ -z $(git status --porcelain) ]] || { echo "cmake/release.sh: the tree differs from HEAD; commit or remove what git status shows" >&2; exit 1; }
every=(sources pure playground debian wheel musl npm jar crate nuget go chart image)
parts=("$@")
((${#parts[@]})) || parts=(sources pure)
[[ ${parts[*]} != all ]] || parts=("${every[@]}")
for part in "${parts[@]}"; do
    [[ " ${every[*]} " == *" $part "* ]] || { echo "cmake/release.sh: no part $part; the parts are ${every[*]}" >&2; exit 2; }
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
version=$(sed -nE 's/^project\(gputide VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Packs a folder of $work; the order, owners and times of its files are fixed.
pack() {  # FOLDER [ARCHIVE]
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode=go=rX,u=rwX -cf - "$1" |
        gzip -9n >"$out/${2:-$1.tar.gz}"
}

# Packs the content of a folder as a zip file with fixed order, times and rights.
pack_zip() {  # FOLDER ARCHIVE
    python3 - "$1" "$2" <<'PYTHON'
import os, sys, time, zipfile
from pathlib import Path
folder, moment = Path(sys.argv[1]), time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), moment)
        entry.external_attr, entry.compress_type = 0o100644 << 16, zipfile.ZIP_DEFLATED
        archive.writestr(entry, file.read_bytes())
PYTHON
}

# Builds a target of the self-contained flavor for a machine; prints its build folder.
built() {  # MACHINE TARGET...
    local preset=self-contained
    [[ $1 == "$(uname -m)" ]] || preset=$1
    cmake --preset "$preset" -Wno-dev -DGPUTIDE_DEVELOPER_MODE=ON -DGPUTIDE_NODE_HEADERS="$(node_headers)" >"$work/configure.log" ||
        { cat "$work/configure.log" >&2; return 1; }
    cmake --build "build/$preset" --target "${@:2}" >"$work/build.log" || { tail -n 50 "$work/build.log" >&2; return 1; }
    echo "$PWD/build/$preset"
}

# Prints the file of the self-contained library for a machine.
library() {  # MACHINE
    local given=GPUTIDE_LIBRARY_$1 folder
    if [[ -n ${!given:-} ]]; then realpath "${!given}"; return; fi
    folder=$(built "$1" gputide_full)
    echo "$folder/libgputide-full.so.1"
}

# The commit, and a port for vcpkg that takes it.
sources() {
    local archive=$out/gputide-$version.tar.gz port=$work/gputide-vcpkg-$version/gputide hash
    git archive --prefix="gputide-$version/" HEAD | gzip -9n >"$archive"
    mkdir -p "$port"
    hash=$(sha512sum "$archive" | cut -d' ' -f1)
    sed -E "s/(\"version\": )\"[^\"]*\"/\1\"$version\"/" cmake/package/vcpkg/vcpkg.json >"$port/vcpkg.json"
    sed "s/SHA512 0)/SHA512 $hash)/" cmake/package/vcpkg/portfile.cmake >"$port/portfile.cmake"
    cp LICENSE "$port/.."
    pack "gputide-vcpkg-$version"
}

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

# The files that are the same in each package of sources.
carry_sources() { cmake/package/carry.sh --sources "$1"; }

chart() {
    local name
    mkdir "$work/gputide"
    git archive HEAD:examples/kubernetes | tar -C "$work/gputide" -x
    # Helm leaves out what has one of these names, in whichever folder.
    while read -r name; do
        [[ $name == \#* || -z $name ]] || find "$work/gputide" -depth -name "${name%/}" -exec rm -r {} +
    done <examples/kubernetes/.helmignore
    carry_sources "$work/gputide"
    pack gputide "gputide-chart-$version.tgz"
}

# shellcheck source=release/packages.sh
source cmake/release/packages.sh

# Writes the commit, the parts and the tools: a statement of in-toto with SLSA's provenance.  It has no signature.
provenance() {
    python3 - "$out" "$(git rev-parse HEAD)" "$SOURCE_DATE_EPOCH" "${machines[*]}" "${parts[@]}" <<'PYTHON'
import json, os, subprocess, sys
from pathlib import Path
out, commit, epoch, machines, *parts = sys.argv[1:]

def version(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError):
        return None

tools = {name: version(name, option) for name, option in [("c++", "--version"), ("cmake", "--version"), ("ld", "--version"),
         ("aarch64-linux-gnu-g++", "--version"), ("cargo", "--version"), ("npm", "--version"), ("mvn", "--version"), ("wasm-opt", "--version")]}
tools["ziglang"] = version(os.environ.get("ZIGLANG_PYTHON", "python3"), "-m", "ziglang", "version")
lines = (line.split(maxsplit=1) for line in (Path(out) / "SHA256SUMS").read_text().splitlines())
statement = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"name": name, "digest": {"sha256": digest}} for digest, name in lines],
    "predicateType": "https://slsa.dev/provenance/v1",
    "predicate": {
        "buildDefinition": {
            "buildType": "https://github.com/gputide/gputide/blob/main/docs/releasing.md",
            "externalParameters": {"parts": parts, "machines": machines.split()},
            "internalParameters": {"SOURCE_DATE_EPOCH": int(epoch), "tools": {name: said for name, said in tools.items() if said}},
            "resolvedDependencies": [{"uri": "git+https://github.com/gputide/gputide", "digest": {"gitCommit": commit}}],
        },
        "runDetails": {"builder": {"id": "https://github.com/gputide/gputide/blob/main/cmake/release.sh"}},
    },
}
(Path(out) / "provenance.json").write_text(json.dumps(statement, indent=1) + "\n")
PYTHON
}

for part in "${parts[@]}"; do "$part"; done
rm -f "$out"/{SHA256SUMS,provenance.json}
sums=$(cd "$out" && find . -maxdepth 1 -type f -printf '%P\n' | sort | xargs sha256sum)
tee "$out/SHA256SUMS" <<<"$sums"
provenance
