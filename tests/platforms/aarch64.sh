#!/usr/bin/env bash
# Builds the whole library for aarch64 from Debian's packages alone, and tests it under qemu-user: unit tests, the C API's tests, every
# conformance case and an eval by gputided.  Prints the counts for docs/platforms.md.
#   tests/platforms/aarch64.sh [--no-install]             needs root or sudo to install what is missing
#   tests/platforms/aarch64.sh [--no-install] OUT         and the packages of `cmake/release.sh --aarch64 OUT wheel npm jar`: each is loaded
#                                                         by Debian's arm64 interpreter under qemu-user, and decides
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=../../examples/quickstart/packages.sh
source examples/quickstart/packages.sh
if [[ ${1:-} == --no-install ]]; then shift; else
    install_missing cmake ninja-build pkg-config dpkg-dev python3 tzdata locales g++-aarch64-linux-gnu qemu-user
fi
packages=${1:+$(realpath "$1")}
build=$PWD/build/aarch64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

build_all() {
    cmake --preset aarch64 -Wno-dev >"$work/configure.log" || { cat "$work/configure.log" >&2; exit 1; }
    nice cmake --build --preset aarch64 --parallel "${JOBS:-$(nproc)}" --target gputide gputide_sanitized gputided
}
sysroot=$(cmake/debian_sysroot.sh arm64)
emulate() { nice qemu-aarch64 -L "$sysroot" "$@"; }

# Tests that fail for what qemu-user cannot do; docs/platforms.md has the reasons.
without=(Program.OutputAndExitStatus RealPlugin.WrongEnds Cron.WithoutTzdataItSaysSo
    Http2Silence.AConnectionThatBringsNothingIsNotAskedASecondTime Http2Silence.WhatSharesTheConnectionEndsWithIt
    Lifetime.{HandlesBelongToTheirProcess,AParentsRuntimeIsOfNoUseInAChildAndFreeingItThereIsHarmless}
    Lifetime.{AChildOfForkOpensItsOwnAndTheParentsGoesOn,AForkInTheMiddleOfAnOpening}
    tls_test.SixtyFourAtOnceOverTls Names.ThreeHundredThatHangTakeSixteenThreadsAndStopNoOtherScaler)

# Runs the programs of the tests, each by itself for the counts.
unit_tests() {
    local program name log passed=0 wrong=0 bad
    GTEST_FILTER=-$(IFS=:; echo "${without[*]}")
    export GTEST_FILTER
    for program in $(find "$build/tests" -name 'gputide_test_*' -type f -perm -u+x | sort); do
        name=$(basename "$program") log=$work/$name.log
        (cd "$(dirname "$program")" && timeout "${TEST_TIMEOUT_S:-3600}" nice qemu-aarch64 -L "$sysroot" "$program") >"$log" 2>&1 || failed=1
        grep -q '^\[==========\] [0-9]* tests\? from .* ran' "$log" || echo "  $name did not end: $(tail -n 1 "$log")"
        passed=$((passed + $(grep -c '^\[       OK \]' "$log" || true)))
        bad=$(sed -nE 's/^\[  FAILED  \] ([A-Za-z0-9_/]+\.[A-Za-z0-9_/]+) \([0-9]+ ms\)$/\1/p' "$log")
        for name in $bad; do wrong=$((wrong + 1)); echo "  failed: $(basename "$program"): $name"; done
    done
    echo "unit and C API tests: $passed passed, $wrong failed"
}

decide() {
    emulate "$build/gputided" eval -f tests/package/night.yaml --current 1 | sed -n 1p | tee "$work/eval"
    grep -q ': 1 -> 3 replicas' "$work/eval"
}

# With Debian's interpreters of arm64, unpacked into a folder: no package of this machine changes.
interpreters() { # OUT
    local root jar manifest='{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"demo"},"spec":{"scaleTargetRef":{"name":"demo"},"triggers":[{"type":"values","metadata":{"threshold":"5"}}]}}'
    root=$(cmake/debian_sysroot.sh arm64 python3 nodejs openjdk-17-jre-headless)
    run() { env -u GPUTIDE_LIBRARY GPUTIDE_TEST_MANIFEST="$manifest" nice qemu-aarch64 -L "$root" "$@"; }

    python3 -m zipfile -e "$1"/gputide-*-manylinux_*_aarch64.whl "$work/wheel"
    PYTHONHOME=$root/usr PYTHONPATH=$work/wheel run "$root/usr/bin/python3.11" -c '
import gputide, os, platform
state = gputide.Policy(os.environ["GPUTIDE_TEST_MANIFEST"]).new_state()
print("wheel:", platform.machine(), state.decide(current=3, samples=[42.5], now=1795255200000).desired)' | tee "$work/said"

    mkdir -p "$work"/npm/node_modules/{gputide,@gputide/linux-arm64-gnu}
    tar -C "$work/npm/node_modules/gputide" --strip-components=1 -xzf "$1"/gputide-[0-9].*.tgz
    tar -C "$work/npm/node_modules/@gputide/linux-arm64-gnu" --strip-components=1 -xzf "$1"/gputide-linux-arm64-gnu-*.tgz
    (cd "$work/npm" && run "$root/usr/bin/node" -e '
const gputide = require("gputide");
const state = new gputide.Policy(process.env.GPUTIDE_TEST_MANIFEST).newState();
console.log("npm:", process.arch, state.decide({ current: 3, samples: [42.5], now: 1795255200000 }).desired);') | tee -a "$work/said"

    mkdir "$work/java"
    jar=$(find "$1" -name 'gputide-*[0-9].jar')
    javac -cp "$jar" -d "$work/java" bindings/java/examples/NumbersAlone.java
    run "$root/usr/lib/jvm/java-17-openjdk-arm64/bin/java" -Xint -XX:+UseSerialGC -Dgputide.native.dir="$work/java" \
        -cp "$jar:$work/java" NumbersAlone | sed -n 's/^/jar: aarch64 /; 1p' | tee -a "$work/said"
    [[ $(cat "$work/said") == 'wheel: aarch64 6'*'npm: arm64 6'*'jar: aarch64 3 -> 6'* ]] || failed=1
}

if [[ -n $packages ]]; then
    interpreters "$packages"
else
    build_all
    unit_tests
    emulate "$build/tests/gputide_conformance" tests/cases/*.json >"$work/conformance.log" || failed=1
    echo "conformance: $(tail -n 1 "$work/conformance.log")"
    decide || failed=1
fi
echo "$(date +%F), $(qemu-aarch64 --version | sed -n 1p), $(aarch64-linux-gnu-g++ --version | sed -n 1p)"
exit "$failed"
