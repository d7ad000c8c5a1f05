#!/usr/bin/env bash
# Everything of one language's binding: linters, types, tests, examples, conformance, the real use.
#   tests/bindings/run.sh python [--wheel]
# Uses build/release (libgputide.so.1, the conformance runner, gputide_door), which it builds if they are not there.  A virtual
# environment with ruff and mypy comes from the package index.  --wheel: also builds the wheel, installs it into a bare
# environment and decides there, which compiles the library once more.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
    sed -n '2,6p' "$0" >&2
    exit 2
}

step() { printf '== %s   (after %d s)\n' "$*" "$SECONDS"; }

build_release() {
    step 'release build'
    cmake --preset release -Wno-dev >/dev/null
    cmake --build --preset release --target gputide gputide_conformance >/dev/null
    export GPUTIDE_LIBRARY=$PWD/build/release/libgputide.so.1
}

python_tools() {
    step 'ruff and mypy'
    local venv=build/bindings/python
    if [[ ! -x $venv/bin/mypy ]]; then
        python3 -c 'import venv, ensurepip' 2>/dev/null || {
            echo "run.sh: python3 has no venv: apt-get install python3-venv" >&2
            exit 2
        }
        python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet ruff mypy
    fi
    (
        cd bindings/python
        "../../$venv/bin/ruff" check . ../generator ../../bench/bindings ../../tests/bindings
        "../../$venv/bin/ruff" format --check .
        "../../$venv/bin/mypy"
    )
}

python_tests() {
    local python=$PWD/build/bindings/python/bin/python
    step 'generator'
    "$python" tests/bindings/generator_test.py
    step 'unit tests and examples: leak order closed cancel nul big unicode concurrent exit fork wrong_abi missing short'
    (cd bindings/python && PYTHONPATH=src GPUTIDE_LEAK_ROUNDS=${GPUTIDE_LEAK_ROUNDS:-20000} "$python" -X dev -m unittest discover -s tests -t .)
    step 'conformance'
    PYTHONPATH=bindings/python/src build/release/tests/gputide_conformance --through "'$python' -m gputide.conformance" tests/cases/*.json
    step 'the real use: worker processes that follow their load'
    PYTHONPATH=bindings/python/src "$python" bindings/python/examples/serve.py
    step 'the documentation of each module'
    PYTHONPATH=bindings/python/src "$python" -W error -m pydoc gputide >/dev/null
    step 'cost'
    bench/bindings/run.sh "$GPUTIDE_LIBRARY" "$python"
}

python_wheel() {
    step 'the wheel'
    local folder
    folder=$(mktemp -d)
    python3 -m venv "$folder/bare"
    "$folder/bare/bin/pip" wheel --quiet --no-deps -w "$folder" ./bindings/python
    "$folder/bare/bin/pip" install --quiet "$folder"/*.whl
    (cd "$folder" && env -u GPUTIDE_LIBRARY bare/bin/python "$OLDPWD/tests/bindings/wheel_test.py" "$folder"/*.whl)
    rm -rf "$folder"
}

(($#)) || usage
language=$1 wheel=${2:-}
[[ $language == python && (-z $wheel || $wheel == --wheel) ]] || usage
build_release
python_tools
python_tests
if [[ $wheel == --wheel ]]; then python_wheel; fi
