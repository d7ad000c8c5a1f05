#!/usr/bin/env bash
# What `mvn package` puts into the jar: the shim, libgputide-full.so.1 built from the tree that this folder lies in, and the licenses of both.
#   natives.sh BUILD CLASSES
# GPUTIDE_SYSTEM_LIBRARY=1: no library, for machines that have Debian's libgputide-full1; GPUTIDE_LIBRARY=FILE: this one, without building.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:?natives.sh BUILD CLASSES} classes=${2:?natives.sh BUILD CLASSES}

command -v cmake >/dev/null || {
    echo "natives.sh: cmake is missing: apt-get install cmake g++ pkg-config libcurl4-openssl-dev libssl-dev libyaml-dev libcctz-dev tzdata zlib1g-dev dpkg-dev" >&2
    exit 1
}
cmake -S "$here" -B "$build/shim" -DCMAKE_BUILD_TYPE=Release >"$build/shim.log" || { cat "$build/shim.log" >&2; exit 1; }
cmake --build "$build/shim"
mkdir -p "$classes/native"
cp -R "$build/shim/classes/native/." "$classes/native"
folder=$(dirname "$(find "$build/shim/classes/native" -name libgputide_jni.so)")
folder=$classes/native/$(basename "$folder")
strip --strip-unneeded "$folder/libgputide_jni.so"
rm -f "$folder/libgputide-full.so.1"
mkdir -p "$classes/META-INF"
cp "$here/../../LICENSE" "$classes/META-INF/LICENSE"

if [[ ${GPUTIDE_SYSTEM_LIBRARY:-} == 1 ]]; then exit; fi
library=${GPUTIDE_LIBRARY:-}
if [[ -z $library ]]; then
    cmake -S "$here/../.." -B "$build/library" -DCMAKE_BUILD_TYPE=Release -Wno-dev
    cmake --build "$build/library" --target gputide_full --parallel
    library=$build/library/libgputide-full.so.1
fi
carried=$build/carried
"$here/../../cmake/package/carry.sh" "$library" "$carried"
cp "$carried/libgputide-full.so.1" "$folder/libgputide-full.so.1"
cp "$carried/THIRD_PARTY_NOTICES" "$classes/META-INF/THIRD_PARTY_NOTICES"
cp "$carried/sbom.cdx.json" "$classes/META-INF/sbom.cdx.json"
