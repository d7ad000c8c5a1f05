#!/usr/bin/env bash
# Makes Debian's packages of this source: libgputide1, libgputide-full1, libgputide-pure1, libgputide-dev and gputided, in build/package/debian.
#   cmake/package/build.sh [--no-install]
# Installs what a Debian 12 lacks to build them (as root, or through sudo).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=../../examples/quickstart/packages.sh
source examples/quickstart/packages.sh
[[ ${1:-} == --no-install ]] || install_missing "${BUILD_PACKAGES[@]}" file  # by which cpack knows what is a program

cmake --preset package -Wno-dev >/dev/null
cmake --build --preset package
rm -rf build/package/debian
(cd build/package && cpack)
