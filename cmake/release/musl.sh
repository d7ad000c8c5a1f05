# shellcheck shell=bash disable=SC2154 # of release.sh: the wheels for musl, around the pure library
# PyPI's package ziglang (in the Python that ZIGLANG_PYTHON names) compiles the library and libyaml, which Debian has for glibc alone.

musl() {
    local machine
    for machine in "${machines[@]}"; do
        build_for_musl "$machine" "$work/musl-$machine"
        wheel_around "$work/musl-$machine/libgputide-pure.so.1" "musllinux_1_2_$machine"
    done
}

# Builds libgputide-pure.so.1 for a machine: one file of sources, with libyaml and the C++ library inside; it needs musl alone.
build_for_musl() {  # MACHINE FOLDER
    local yaml zig=("${ZIGLANG_PYTHON:-python3}" -m ziglang) target=(-target "$1-linux-musl" -Os -fPIC -fvisibility=hidden)
    cmake/amalgamate.py "$2"
    yaml=$(cmake/libyaml.sh "$2" "${zig[@]}" cc "${target[@]}")
    # By relative paths, so that no text of the library depends on the folder.
    (cd "$2" && "${zig[@]}" c++ "${target[@]}" -std=c++20 -fno-rtti -ffp-contract=off -ffunction-sections -fdata-sections -DGPUTIDE_YAML=1 \
        -I"$yaml/include" -c gputide_pure.cpp -o gputide_pure.o)
    echo '{ global: gputide_*; local: *; };' >"$2/exports.map"
    "${zig[@]}" c++ -target "$1-linux-musl" -shared -Wl,-soname,libgputide-pure.so.1 -Wl,--version-script="$2/exports.map" -Wl,--gc-sections \
        -Wl,-z,nodelete -Wl,--strip-all "$2"/*.o -o "$2/libgputide-pure.so.1"
}
