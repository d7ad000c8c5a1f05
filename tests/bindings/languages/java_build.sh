#!/usr/bin/env bash
# Shim, classes and tests of bindings/java, without Maven and the network.
#   java_build.sh SOURCE BUILD [CMAKE [C-COMPILER]]
set -euo pipefail
source=$1 build=$2 cmake=${3:-cmake} compiler=${4:-cc}
"$cmake" -S "$source" -B "$build" -DGPUTIDE_JAVA_TESTS=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$compiler" -Wno-dev
"$cmake" --build "$build"
