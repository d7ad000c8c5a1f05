#!/usr/bin/env bash
# Collects what a package of a language carries beside its own files: the stripped library, and the licenses of what is inside it.
#   carry.sh LIBRARY FOLDER [FILE...]   FOLDER gets the library under its SONAME, LICENSE, THIRD_PARTY_NOTICES and sbom.cdx.json
#                                       (CycloneDX 1.5), and the binding's own binary FILEs, stripped
#   carry.sh --sources FOLDER           without a library: a package of gputide's own sources
# The library may be gputide_pure.cpp (cmake/amalgamate.py) or gputide.wasm.js (examples/playground/build.sh), too, which keep their names.
# One that needs libc.so is the pure library for musl (cmake/release/packages.sh).  Another one that does not need libcurl is the
# self-contained flavor.  Versions and copyright files are those of the Debian packages
# on this machine, or in the sysroot of the library's machine (cmake/debian_sysroot.sh), from which it was built.  Where a copyright
# file is missing, a line on standard error says so, and the notice has the license's name.
set -euo pipefail
library=${1:?carry.sh LIBRARY FOLDER [FILE...]} folder=${2:?carry.sh LIBRARY FOLDER [FILE...]}
shift 2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$(sed -nE 's/^project\(gputide VERSION ([0-9.]+).*/\1/p' "$root/CMakeLists.txt")

kind=binary strip=strip sysroot=
case $library in
    --sources) kind=sources ;;
    *.cpp | *.wasm.js) kind=text ;;
    *) if [[ $(readelf --file-header "$library") == *AArch64* && $(uname -m) != aarch64 ]]; then
        strip=aarch64-linux-gnu-strip sysroot=$("$root/cmake/debian_sysroot.sh" arm64)
    fi ;;
esac

mkdir -p "$folder"
# Copies a binary file without its symbols.
stripped() {  # FILE COPY
    cp -L "$1" "$2"
    chmod 755 "$2"
    "$strip" --strip-unneeded "$2"
}
if [[ $kind == binary ]]; then
    soname=$(readelf --dynamic "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    stripped "$library" "$folder/$soname"
elif [[ $kind == text ]]; then
    soname=$(basename "$library")
    [[ $library -ef $folder/$soname ]] || cp "$library" "$folder/$soname"
fi
for file in "$@"; do stripped "$file" "$folder/$(basename "$file")"; done
cp "$root/LICENSE" "$folder/LICENSE"

# name, SPDX license, Debian's source package, its version, its copyright file
parts=()
from_source() {  # NAME LICENSE PACKAGE: out of a source package that cmake/debian_source.sh keeps
    local source
    source=$("$root/cmake/debian_source.sh" "$3" 2>/dev/null) || source=
    parts+=("$1|$2|${3%%=*}|${source##*_}|$source/debian/copyright")
}
from_ziglang() {  # NAME LICENSE FILE: of the C and C++ libraries in PyPI's package ziglang
    local found
    # pip's isolated build hides the packages of its own Python by PYTHONPATH.
    found=$(env -u PYTHONPATH -u PYTHONNOUSERSITE "${ZIGLANG_PYTHON:-python3}" -c 'import importlib.metadata as m, ziglang as z; print(m.version("ziglang"), z.__path__[0], sep="|")' 2>/dev/null) ||
        found='|'
    parts+=("$1|$2|ziglang|${found%%|*}|${found#*|}/lib/$3")
}
from_package() {  # NAME LICENSE PACKAGE: an archive of an installed package
    parts+=("$1|$2|$(dpkg-query --admindir="$sysroot/var/lib/dpkg" -W -f '${source:Package}|${source:Version}' "$3" 2>/dev/null ||
        echo '|')|$sysroot/usr/share/doc/$3/copyright")
}
[[ $kind == sources ]] || from_source simdjson 'Apache-2.0 AND BSD-3-Clause AND BSL-1.0 AND MIT' "simdjson=$(sed -nE 's/^set\(version (.*)\)$/\1/p' "$root/cmake/debian.cmake")"
if [[ $library == *.wasm.js ]]; then
    from_source libyaml MIT libyaml=0.2.5-1
    from_ziglang zig MIT ../LICENSE
    from_ziglang wasi-libc MIT libc/wasi/LICENSE-MIT
    from_ziglang musl MIT libc/wasi/libc-top-half/musl/COPYRIGHT
    from_ziglang cloudlibc BSD-2-Clause libc/wasi/libc-bottom-half/cloudlibc/LICENSE
    from_ziglang libc++ 'Apache-2.0 WITH LLVM-exception' libcxx/LICENSE.TXT
fi
[[ $kind != binary ]] || needed=$(readelf --dynamic "$library" | grep NEEDED || true)
if [[ $kind == binary && $needed == *'[libc.so]'* ]]; then  # for musl
    from_source libyaml MIT libyaml=0.2.5-1
    from_ziglang zig MIT ../LICENSE  # its compiler-rt
    from_ziglang musl MIT libc/musl/COPYRIGHT  # start and end code of a shared library
    from_ziglang libc++ 'Apache-2.0 WITH LLVM-exception' libcxx/LICENSE.TXT  # with libc++abi and libunwind
elif [[ $kind == binary && $needed != *libcurl* ]]; then
    from_source curl curl curl
    from_source nghttp2 MIT nghttp2
    from_package openssl Apache-2.0 libssl-dev
    from_package zlib Zlib zlib1g-dev
    from_package libyaml MIT libyaml-dev
    from_package abseil Apache-2.0 libabsl-dev
    # The cross compiler has its own, on this machine.
    standard=libstdc++-$(${CXX:-c++} -dumpversion | cut -d. -f1)-dev${sysroot:+-arm64-cross} sysroot=
    from_package libstdc++ 'GPL-3.0-or-later WITH GCC-exception-3.1' "$standard"
fi

notices() {
    if [[ $kind == sources ]]; then
        echo "This package has gputide $version (Apache-2.0, see LICENSE) and nothing of others inside."
        return
    fi
    echo "$soname is gputide $version (Apache-2.0, see LICENSE) and has inside it the work of others:"
    local entry name license package found file
    for entry in "${parts[@]}"; do
        IFS='|' read -r name license package found file <<<"$entry"
        printf '\n%s\n%s %s\nLicense: %s\n\n' "$(printf '=%.0s' {1..80})" "$name" "$found" "$license"
        if [[ -r $file ]]; then
            cat "$file"
        else
            echo "Its copyright notice was not on the machine that made this package."
            echo "carry.sh: $name: no $file; THIRD_PARTY_NOTICES lacks its text" >&2
        fi
    done
}

bom() {
    local entry name license package found file purl separator='' names=''
    printf '{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,\n"metadata":{"component":{"type":"library","bom-ref":"gputide",'
    printf '"name":"gputide","version":"%s","licenses":[{"expression":"Apache-2.0"}]' "$version"
    [[ $kind == sources ]] || printf ',"hashes":[{"alg":"SHA-256","content":"%s"}]' "$(sha256sum "$folder/$soname" | cut -d' ' -f1)"
    printf '}},\n"components":['
    for entry in "${parts[@]}"; do
        IFS='|' read -r name license package found file <<<"$entry"
        purl="pkg:deb/debian/$package@$(escaped "$found")?arch=source"
        [[ $package != ziglang ]] || purl="pkg:pypi/ziglang@$found"
        printf '%s\n{"type":"library","bom-ref":"%s","name":"%s","version":"%s","licenses":[{"expression":"%s"}],"purl":"%s"}' \
            "$separator" "$name" "$name" "$found" "$license" "$purl"
        separator=, names+=",\"$name\""
    done
    printf '],\n"dependencies":[{"ref":"gputide","dependsOn":[%s]}]}\n' "${names#,}"
}
# A package URL percent-encodes these.
escaped() { sed 's/:/%3A/g; s/+/%2B/g; s/~/%7E/g' <<<"$1"; }

notices >"$folder/THIRD_PARTY_NOTICES"
bom >"$folder/sbom.cdx.json"
