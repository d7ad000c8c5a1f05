#!/usr/bin/env bash
# Everything of one language's binding: linters, types, tests, examples, conformance, the real use.
#   tests/bindings/run.sh LANGUAGE [OPTION]     LANGUAGE: a file of tests/bindings/languages, which says its options
#   tests/bindings/run.sh LANGUAGE --rest       what the ctests bindings_LANGUAGE... leave out: linters, types, documentation, the real
#                                               use; for tests/run.sh, which has run them
# Uses build/release (libgputide-full.so.1, the conformance runner, gputide_protocol), which it builds if they are not there.  Linters and
# packages come from the language's own index.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
    sed -n '2,7p' "$0" >&2
    exit 2
}

fail() {
    printf 'run.sh: %s\n' "$*" >&2
    exit 2
}

step() { printf '== %s   (after %d s)\n' "$*" "$SECONDS"; }

build_release() {
    step 'release build'
    [[ -e build/release/build.ninja ]] || cmake --preset release -Wno-dev >/dev/null
    cmake --build --preset release --target gputide_full gputide_conformance gputide_protocol >/dev/null
    export GPUTIDE_LIBRARY=$PWD/build/release/libgputide-full.so.1
}

# A language's file defines check_toolchain, which ends with an error and its remedy where something is missing or too old,
# run_language for everything and run_rest for what the ctests leave out.
(($#)) || usage
language=tests/bindings/languages/$1.sh
[[ $1 =~ ^[a-z]+$ && -f $language ]] || usage
# shellcheck source=/dev/null
source "$language"
shift
check_toolchain
build_release
if [[ ${1:-} == --rest ]]; then run_rest; else run_language "$@"; fi
