# shellcheck shell=bash
# C#: run.sh csharp.  Debian's mono has all that it takes; .NET's SDK is not used.

check_toolchain() {
    local tool
    for tool in mcs mono; do command -v "$tool" >/dev/null || fail "$tool is missing: apt-get install mono-mcs mono-runtime"; done
}

run_language() {
    (($# == 0)) || usage
    local build=$PWD/build/bindings/csharp
    step 'generator'
    python3 tests/bindings/generator_test.py
    step 'binding, tests and examples, every warning an error'
    tests/bindings/build.sh csharp . "$build"
    step 'unit tests and examples'
    GPUTIDE_LEAK_ROUNDS=${GPUTIDE_LEAK_ROUNDS:-20000} GPUTIDE_CONCURRENT_MS=5000 mono --debug "$build/Tests.exe"
    step 'conformance'
    build/release/tests/gputide_conformance --through "mono '$build/Conformance.exe'" tests/cases/*.json
    python3 tests/bindings/protocol_test.py build/release/tests/gputide_protocol "mono '$build/Conformance.exe'"
    step 'cost'
    bench/bindings/run.sh "$GPUTIDE_LIBRARY" csharp
}

# Tests and examples are in ctest; left are the documentation's references and the package's metadata.
run_rest() {
    step 'documentation and package metadata'
    tests/bindings/build.sh csharp . "$PWD/build/bindings/csharp"
    python3 tests/bindings/csharp_package_test.py build/bindings/csharp/Gputide.xml
}
