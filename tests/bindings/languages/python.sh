# Python: run.sh python [--wheel].  A virtual environment with ruff, mypy, pdoc and auditwheel comes from the package index.  --wheel:
# also a wheel from the sdist, which compiles the library once more.

check_toolchain() {
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || fail 'python3 3.9 or newer is needed: apt-get install python3'
    python3 -c 'import venv, ensurepip' 2>/dev/null || fail 'python3 has no venv: apt-get install python3-venv'
}

run_language() {
    [[ -z ${1:-} || $1 == --wheel ]] || usage
    python_tools
    python_tests
    python_wheels
    if [[ ${1:-} == --wheel ]]; then python_from_source; fi
}

run_rest() {
    python_tools
    python_shows
    python_wheels
}

python_tools() {
    step 'ruff and mypy'
    local venv=build/bindings/python
    if [[ ! -x $venv/bin/pyproject-build ]]; then
        python3 -m venv "$venv"
        "$venv/bin/pip" install --quiet ruff==0.17.6 mypy==2.4.1 pdoc==16.0.0 wheel==0.48.0 auditwheel==6.8.2 build==1.6.1
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
    "$python" tests/bindings/conformance python build/bindings/calls.py
    PYTHONPATH=bindings/python/src build/release/tests/gputide_conformance \
        --through "'$python' tests/bindings/python/conformance.py build/bindings/calls.py" tests/cases/*.json
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

# Wheels around both flavors of the release build.  The self-contained one needs nothing but the C library and says which; what it is
# tagged with is what auditwheel finds in it.
python_wheels() {
    local tools=$PWD/build/bindings/python/bin around_here=$GPUTIDE_LIBRARY folder around tag
    folder=$(mktemp -d)
    step 'the wheel around the library of this machine'
    python_wheel "$GPUTIDE_LIBRARY" "$folder/shared"
    step 'the wheel around the self-contained library'
    around=build/release/tests/faults/libgputide-full.so.1
    cmake --build --preset release --target gputide_self_contained >/dev/null ||
        fail 'the self-contained library needs more: apt-get install nginx libabsl-dev libnghttp2-dev'
    python_wheel "$PWD/$around" "$folder/alone"
    tag=$("$tools/auditwheel" show "$folder"/alone/*.whl 2>&1 | tr '\n' ' ' | sed -nE 's/.*following platform tag: "([^"]*)".*/\1/p')
    [[ $tag == manylinux_* ]] || fail "the self-contained wheel is of $tag"
    "$tools/wheel" tags --remove --platform-tag "$tag" "$folder"/alone/*.whl
    python_bare "$folder"/alone/*.whl
    python_bare "$folder"/shared/*.whl
    step 'the wheel without a library, and one out of the sdist'
    GPUTIDE_SYSTEM_LIBRARY=1 "$tools/pip" wheel --quiet --no-deps -w "$folder/none" ./bindings/python
    python_elsewhere "$folder"/none/gputide-*-py3-none-any.whl
    "$tools/python" -m build --sdist --outdir "$folder/sdist" bindings/python >/dev/null
    mkdir "$folder/empty"
    (cd "$folder/empty" && GPUTIDE_LIBRARY=$around_here "$tools/pip" wheel --quiet --no-deps -w "$folder/from_sdist" "$folder"/sdist/*.tar.gz)
    python_bare "$folder"/from_sdist/*.whl
    rm -rf "$folder"
}

# If no library can be, the package imports and says why.
python_elsewhere() {
    local bare=$folder/bare
    python3 -m venv --clear "$bare"
    "$bare/bin/pip" install --quiet --no-index "$1"
    (cd "$folder" && env -u GPUTIDE_LIBRARY "$bare/bin/python" -c '
import sys
sys.platform = "darwin"
import gputide
try:
    gputide.Policy("{}")
except gputide.LibraryError as problem:
    assert "runs on 64-bit Linux alone" in str(problem), problem
else:
    sys.exit("a policy was opened without a library")')
}

# python_wheel LIBRARY FOLDER
python_wheel() { GPUTIDE_LIBRARY=$1 "$tools/pip" wheel --quiet --no-deps -w "$2" ./bindings/python; }

# Installs a wheel into an environment that has nothing else, and decides there.
python_bare() {
    local bare=$folder/bare import
    python3 -m venv --clear "$bare"
    "$bare/bin/pip" install --quiet --no-index "$1"
    (cd "$folder" && env -u GPUTIDE_LIBRARY "$bare/bin/python" "$OLDPWD/tests/bindings/wheel_test.py" "$1")
    read -r import _ < <(env -u GPUTIDE_LIBRARY "$bare/bin/python" bench/bindings/import.py)
    echo "import gputide: $import ms of processor time more than import json"
    awk -v value="$import" 'BEGIN { exit value > 30 }' || fail 'importing the package takes more than 30 ms'
}

# As pip does where no wheel fits: the library is compiled of what the sdist has, and nothing of this tree is in reach.
python_from_source() {
    step 'pip install of the sdist'
    local folder
    folder=$(mktemp -d)
    build/bindings/python/bin/python -m build --sdist --outdir "$folder" bindings/python >/dev/null
    python3 -m venv "$folder/venv"
    (cd "$folder" && env -u GPUTIDE_LIBRARY venv/bin/pip install --quiet ./gputide-*.tar.gz)
    (cd "$folder" && env -u GPUTIDE_LIBRARY venv/bin/python -c 'import gputide; print(gputide.library_path())')
    rm -rf "$folder"
}
