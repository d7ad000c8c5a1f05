# Python: run.sh python [--wheel].  A virtual environment with ruff, mypy and pdoc comes from the package index.  --wheel: also
# builds the wheel, installs it into a bare environment and decides there, which compiles the library once more.

check_toolchain() {
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || fail 'python3 3.9 or newer is needed: apt-get install python3'
    python3 -c 'import venv, ensurepip' 2>/dev/null || fail 'python3 has no venv: apt-get install python3-venv'
}

run_language() {
    [[ -z ${1:-} || $1 == --wheel ]] || usage
    python_tools
    python_tests
    if [[ ${1:-} == --wheel ]]; then python_wheel; fi
}

run_rest() {
    python_tools
    python_shows
}

python_tools() {
    step 'ruff and mypy'
    local venv=build/bindings/python
    if [[ ! -x $venv/bin/pdoc ]]; then
        python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet ruff==0.17.6 mypy==2.4.1 pdoc==16.0.0
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
    python_shows
    step 'cost'
    PYTHON=$python bench/bindings/run.sh "$GPUTIDE_LIBRARY" python
}

python_shows() {
    local python=$PWD/build/bindings/python/bin/python
    step 'the real use: worker processes that follow their load'
    PYTHONPATH=bindings/python/src "$python" bindings/python/examples/serve.py
    step 'the documentation of each module, without a warning'
    PYTHONPATH=bindings/python/src "$python" -W error -m pydoc gputide >/dev/null
    PYTHONPATH=bindings/python/src "$python" -W error -m pdoc --output-directory build/bindings/python/docs gputide
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
