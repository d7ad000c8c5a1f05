#!/usr/bin/env bash
# Compiles the parser of Debian's libyaml into FOLDER/yaml_*.o and prints the folder of its sources.
#   cmake/libyaml.sh FOLDER COMPILER [ARGUMENT...]
set -euo pipefail
folder=$1
compile=("${@:2}" -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 '-DYAML_VERSION_STRING="0.2.5"')
sources=$("$(dirname "${BASH_SOURCE[0]}")/debian_source.sh" libyaml=0.2.5-1)
for name in api parser reader scanner; do
    "${compile[@]}" -I"$sources/include" -c "$sources/src/$name.c" -o "$folder/yaml_$name.o" >&2
done
echo "$sources"
