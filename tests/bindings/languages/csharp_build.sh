#!/bin/sh
# csharp_build.sh ROOT OUT: compiles bindings/csharp, its tests, its examples and the conformance program with Debian's mono.
set -eu
root=$1 out=$2
for tool in mcs mono; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install mono-mcs mono-runtime"; exit 1; }
done
mkdir -p "$out"
cd "$root"
python3 -m bindings.generator csharp >/dev/null
python3 tests/bindings/conformance csharp "$out/Calls.cs"
compile() { mcs -debug -optimize -d:TRACE -langversion:7 -warnaserror "$@"; }
csharp=bindings/csharp
compile -unsafe -target:library -doc:"$out/Gputide.xml" -out:"$out/Gputide.dll" $csharp/src/*.cs
compile -out:"$out/Conformance.exe" -r:"$out/Gputide.dll" tests/bindings/csharp/*.cs "$out/Calls.cs"
compile -out:"$out/Tests.exe" -r:"$out/Gputide.dll" $csharp/tests/*.cs tests/bindings/csharp/Json.cs
for example in $csharp/examples/*.cs; do
    compile -out:"$out/$(basename "$example" .cs).exe" -r:"$out/Gputide.dll" "$example"
done
