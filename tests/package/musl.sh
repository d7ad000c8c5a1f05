#!/usr/bin/env bash
# The libraries of the wheels for musl: what they need, and a host that links each one and decides, under Debian's musl.
#   tests/package/musl.sh [--no-install] OUT     OUT: the folder of `cmake/release.sh [--aarch64] OUT musl`
# Needs PyPI's package ziglang (in the Python that ZIGLANG_PYTHON names), and qemu-user for aarch64.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=../../examples/quickstart/packages.sh
source examples/quickstart/packages.sh
if [[ ${1:-} == --no-install ]]; then shift; else install_missing musl qemu-user; fi
wheels=("${1:?usage: tests/package/musl.sh [--no-install] OUT}"/gputide-*-musllinux_*.whl)
[[ -e ${wheels[0]} ]] || { echo "musl: there is no wheel for musl in ${1}" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for wheel in "${wheels[@]}"; do
    machine=$(sed -E 's/.*-musllinux_[0-9]+_[0-9]+_(.*)\.whl/\1/' <<<"$wheel")
    folder=$work/$machine
    python3 -m zipfile -e "$wheel" "$folder"
    library=$folder/gputide/libgputide-pure.so.1
    needed=$(readelf --dynamic "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    [[ $needed == libc.so ]] || { echo "musl: $wheel needs $needed" >&2; exit 1; }
    "${ZIGLANG_PYTHON:-python3}" -m ziglang cc -target "$machine-linux-musl" -dynamic -Os -DHOST_OF_PURE=1 -DHOST_OF_SOURCES=1 -Iinclude \
        tests/abi/flavor_host.c "$library" -o "$folder/host"
    loader=("/lib/ld-musl-$machine.so.1")
    [[ $machine == "$(uname -m)" ]] || loader=(qemu-aarch64 "$(cmake/debian_sysroot.sh arm64 musl)/lib/ld-musl-aarch64.so.1")
    "${loader[@]}" --library-path "$folder/gputide" "$folder/host" pure,plan
    echo "musl: $(basename "$wheel"): $(stat -c %s "$wheel") bytes, library $(stat -c %s "$library") bytes, decides with ${loader[*]##*/}"
done
