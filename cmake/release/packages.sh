# shellcheck shell=bash disable=SC2154 # of release.sh: the parts that are packages of a language, wheels for musl, the OCI image
# Each uses the package's own build, with the library that is given to it.

# Prints the platform tag of a wheel: the newest version of glibc that symbols of the library need.
manylinux() {  # LIBRARY MACHINE
    local glibc
    glibc=$(readelf --version-info --wide "$1" | grep -oE 'GLIBC_2\.[0-9]+' | sort -Vu | tail -n 1)
    echo "manylinux_${glibc//[!0-9]/_}_$2" | sed -E 's/_+/_/g'
}

wheel() {
    local machine file tag
    for machine in "${machines[@]}"; do
        file=$(library "$machine")
        tag=$(manylinux "$file" "$machine")
        wheel_around "$file" "$tag"
    done
}

wheel_around() {  # LIBRARY TAG
    rm -rf build/wheel-around
    GPUTIDE_LIBRARY=$1 _PYTHON_HOST_PLATFORM=$2 python3 -m pip wheel --quiet --no-deps --wheel-dir "$out" bindings/python
}

# Headers of Node-API: of npm's package, where `npm install` in bindings/node has brought them, or of Debian's libnode-dev.
node_headers() {
    local folder
    for folder in "$PWD/bindings/node/node_modules/node-api-headers/include" /usr/include/node; do
        if [[ -e $folder/node_api.h ]]; then echo "$folder"; return; fi
    done
}

npm() {
    local machine folder
    declare -A cpu=([x86_64]=x64 [aarch64]=arm64)
    for machine in "${machines[@]}"; do
        folder=$(built "$machine" gputide_node)
        mkdir "$work/npm-$machine"
        cp "$folder/bindings/node/gputide.node" "$work/npm-$machine"
        cp "$(library "$machine")" "$work/npm-$machine/libgputide-full.so.1"
        node bindings/node/scripts/pack.mjs "$out" "$work/npm-$machine" "${cpu[$machine]}" >"$work/npm.log"
    done
}

# With the jars of sources and documentation and the POM, which Maven's central repository asks for.  That also asks for signatures.
jar() {
    local machine files=() name=gputide-$version suffix
    for machine in "${machines[@]}"; do files+=("$(library "$machine")"); done
    (cd bindings/java && rm -rf target &&
        GPUTIDE_LIBRARY=$(IFS=:; echo "${files[*]}") mvn -q -B package -DskipTests \
            -Dproject.build.outputTimestamp="$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)")
    for suffix in .jar -sources.jar -javadoc.jar; do cp "bindings/java/target/$name$suffix" "$out"; done
    cp bindings/java/pom.xml "$out/$name.pom"
}

# Crates are sources: they link the library of the machine, open it, or build it (the feature vendored).
crate() {
    local member
    mkdir "$work/crate"
    git archive HEAD LICENSE bindings/rust tests/bindings/rust | tar -C "$work/crate" -x
    for member in gputide-sys gputide; do carry_sources "$work/crate/bindings/rust/$member"; done
    (cd "$work/crate/bindings/rust" && cargo package --quiet --workspace --no-verify --target-dir "$work/crate/target")
    cp "$work"/crate/target/package/*.crate "$out"
}

# The assembly of Debian's mono, which is one for .NET Framework 4.7.2; with .NET's SDK, `dotnet pack` makes one for .NET Standard 2.0.
nuget() {
    local machine stage=$work/nuget
    declare -A rid=([x86_64]=linux-x64 [aarch64]=linux-arm64)
    tests/bindings/build.sh csharp . "$work/csharp" >/dev/null
    mkdir -p "$stage"/{_rels,lib/net472}
    cp "$work/csharp"/Gputide.{dll,xml} "$stage/lib/net472"
    cp bindings/csharp/README.md "$stage"
    for machine in "${machines[@]}"; do
        cmake/package/carry.sh "$(library "$machine")" "$work/carried-$machine"
        mkdir -p "$stage/runtimes/${rid[$machine]}/native" "$stage/licenses/${rid[$machine]}"
        mv "$work/carried-$machine/libgputide-full.so.1" "$stage/runtimes/${rid[$machine]}/native"
        mv "$work/carried-$machine/LICENSE" "$stage"
        mv "$work/carried-$machine"/* "$stage/licenses/${rid[$machine]}"
    done
    python3 - bindings/csharp/Gputide.csproj "$stage" <<'PYTHON'
import sys
from pathlib import Path
from xml.etree import ElementTree
project, stage = ElementTree.parse(sys.argv[1]).getroot(), Path(sys.argv[2])

def of(name):
    return project.findtext(f"PropertyGroup/{name}")

(stage / "Gputide.nuspec").write_text(f"""<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>{of("PackageId")}</id>
    <version>{of("Version")}</version>
    <authors>{of("Authors")}</authors>
    <license type="expression">{of("PackageLicenseExpression")}</license>
    <readme>{of("PackageReadmeFile")}</readme>
    <projectUrl>{of("PackageProjectUrl")}</projectUrl>
    <description>{of("Description")}</description>
    <tags>{of("PackageTags")}</tags>
    <repository type="git" url="{of("RepositoryUrl")}" />
    <dependencies><group targetFramework=".NETFramework4.7.2" /></dependencies>
  </metadata>
</package>
""")
(stage / "_rels" / ".rels").write_text("""<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Gputide.nuspec" Id="R1" />
</Relationships>
""")
types = "".join(f'  <Default Extension="{extension}" ContentType="{kind}" />\n' for extension, kind in [
    ("rels", "application/vnd.openxmlformats-package.relationships+xml"), ("nuspec", "application/octet"), ("dll", "application/octet"),
    ("xml", "application/octet"), ("md", "application/octet"), ("json", "application/octet"), ("1", "application/octet")])
names = [path.relative_to(stage).as_posix() for path in stage.rglob("*") if path.is_file() and not path.suffix]
parts = "".join(f'  <Override PartName="/{name}" ContentType="application/octet" />\n' for name in sorted(names) if not name.startswith("_rels"))
(stage / "[Content_Types].xml").write_text(f"""<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
{types}{parts}</Types>
""")
PYTHON
    pack_zip "$stage" "$out/Gputide.$version.nupkg"
}

# Packs the module as Go does from the tag bindings/go/vVERSION, by the rules of golang.org/x/mod/zip: files of nested modules are left out, and the
# license of the repository comes along.  Its bill lies beside it, as another file would change the module's checksum.
go() {
    local path=github.com/gputide/gputide/bindings/go stage=$work/go file
    local folder=$stage/$path@v$version
    mkdir -p "$folder"
    git archive HEAD:bindings/go | tar -C "$folder" -x
    find "$folder" -mindepth 2 -name go.mod | while read -r file; do rm -r "$(dirname "$file")"; done
    carry_sources "$work/carried-go"
    cp LICENSE "$folder"
    cp "$work/carried-go/sbom.cdx.json" "$out/gputide-go-$version.cdx.json"
    pack_zip "$stage" "$out/gputide-go-$version.zip"
}

# ---- The wheels for musl, around the pure library.
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

# ---- The OCI image of gputided, from nothing but files.
# A layer with Debian's libraries, certificates and time zones, and one with gputided and its library, for each machine.

image() {
    local machine folder sysroot root roots=()
    for machine in "${machines[@]}"; do
        folder=$(built "$machine" gputided gputide_full) sysroot=
        [[ $machine == "$(uname -m)" ]] || sysroot=$(cmake/debian_sysroot.sh arm64)
        root=$work/image-$machine
        mkdir "$root"
        cmake/package/image_root.sh "$root" "$folder" "$sysroot"
        roots+=("$machine=$root")
    done
    cmake/release/oci.py "$out/gputided-$version.oci.tar" "$version" "${roots[@]}"
}
