# Node: run.sh node [--pack].  eslint, prettier, TypeScript, typedoc and Node-API's headers come from npm.  --pack: also `npm install`
# as the README has it, which compiles the library once more.

check_toolchain() {
    command -v node >/dev/null && command -v npm >/dev/null || fail 'node and npm are needed: apt-get install nodejs npm'
    node -e 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 18 || (major === 18 && minor >= 20) ? 0 : 1)' ||
        fail "node 18.20 or newer is needed, this is $(node --version)"
}

run_language() {
    [[ -z ${1:-} || $1 == --pack ]] || usage
    step 'generator'
    python3 tests/bindings/generator_test.py
    node_tools
    node_tests
    if [[ ${1:-} == --pack ]]; then unset GPUTIDE_LIBRARY; fi
    node_pack
}

# The real use is among the examples, which ctest has run.
run_rest() {
    node_tools
    node_pack
}

node_tools() {
    step 'eslint, prettier, tsc and typedoc'
    (
        cd bindings/node
        npm install --ignore-scripts --no-audit --no-fund --loglevel=error
        npx --no-install eslint --max-warnings 0 .
        npx --no-install prettier --check --log-level warn .
        npx --no-install tsc --project .
        npx --no-install typedoc --logLevel Warn
    )
}

node_tests() {
    step 'addon'
    cmake --preset release -Wno-dev >/dev/null # the headers may have come just now
    cmake --build --preset release --target gputide_node >/dev/null
    export GPUTIDE_NODE_ADDON=$PWD/build/release/bindings/node/gputide.node
    step 'unit tests and examples: leak order closed cancel nul big unicode concurrent exit wrong_abi missing short https'
    (cd bindings/node && GPUTIDE_LEAK_ROUNDS=${GPUTIDE_LEAK_ROUNDS:-20000} GPUTIDE_CONCURRENT_MS=5000 node --test tests/*.test.js)
    step 'conformance'
    python3 tests/bindings/conformance node build/bindings/calls.js
    local program='node tests/bindings/node/conformance.js build/bindings/calls.js'
    build/release/tests/gputide_conformance --through "$program" tests/cases/*.json
    python3 tests/bindings/protocol_test.py build/release/tests/gputide_protocol "$program"
    step 'cost'
    bench/bindings/run.sh "$GPUTIDE_LIBRARY" node
}

# With GPUTIDE_LIBRARY around that library; the packages that would be published, installed into a bare folder.
node_pack() {
    step 'npm install, and the packages'
    rm -rf build/npm bindings/node/build
    (
        cd bindings/node
        npm install --no-audit --no-fund --loglevel=error
        node scripts/pack.mjs ../../build/npm
        node tests/packed.mjs ../../build/npm
    )
}
