#!/usr/bin/env bash
# What `mvn package` puts into the jar: the shim, libgputide-full.so.1 built from the tree that this folder lies in, and the licenses of both.
#   natives.sh BUILD CLASSES
# GPUTIDE_SYSTEM_LIBRARY=1: no library, for machines that have Debian's libgputide-full1; GPUTIDE_LIBRARY=FILE: this one, without building;
# GPUTIDE_LIBRARY=FILE:FILE: one jar for x86_64 and aarch64, with a cross-compiled shim.  What belongs to the library of another machine
# is in META-INF/linux-aarch64.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${1:?natives.sh BUILD CLASSES} classes=${2:?natives.sh BUILD CLASSES}

command -v cmake >/dev/null || {
    echo "natives.sh: cmake is missing: apt-get install cmake g++ pkg-config libcurl4-openssl-dev libssl-dev libyaml-dev libcctz-dev tzdata zlib1g-dev dpkg-dev" >&2
    exit 1
}

# Builds the shim for a machine, and puts it into the jar with the library and its licenses.
native() {  # MACHINE LIBRARY
    local machine=$1 library=$2 shim=$build/shim-$1 metadata=$classes/META-INF toolchain=()
    if [[ $machine != "$(uname -m)" ]]; then
        toolchain=(-DCMAKE_TOOLCHAIN_FILE="$here/../../cmake/$machine.cmake") metadata+=/linux-$machine
    fi
    cmake -S "$here" -B "$shim" -DCMAKE_BUILD_TYPE=Release "${toolchain[@]}" >"$shim.log" || { cat "$shim.log" >&2; exit 1; }
    cmake --build "$shim"
    local built folder
    built=$(find "$shim/classes/native" -name libgputide_jni.so)
    folder=$classes/native/$(basename "$(dirname "$built")")
    rm -rf "$folder" "$build/carried"
    mkdir -p "$folder" "$metadata"
    if [[ -z $library ]]; then
        install --strip "$built" "$folder"
        cp "$here/../../LICENSE" "$metadata"
        return
    fi
    "$here/../../cmake/package/carry.sh" "$library" "$build/carried" "$built"
    mv "$build/carried"/*.so* "$folder"
    mv "$build/carried"/* "$metadata"
}

mkdir -p "$build"
if [[ ${GPUTIDE_SYSTEM_LIBRARY:-} == 1 ]]; then native "$(uname -m)" ''; exit; fi
libraries=${GPUTIDE_LIBRARY:-}
if [[ -z $libraries ]]; then
    cmake -S "$here/../.." -B "$build/library" -DCMAKE_BUILD_TYPE=Release -Wno-dev
    cmake --build "$build/library" --target gputide_full --parallel
    libraries=$build/library/libgputide-full.so.1
fi
while read -r library; do
    machine=x86_64
    [[ $(readelf --file-header "$library") != *AArch64* ]] || machine=aarch64
    native "$machine" "$library"
done < <(tr : '\n' <<<"$libraries")
