# shellcheck shell=bash
# Python, for run.sh: PYTHON is the interpreter, python3 unless it is set.
measure_python() {
    local python=${PYTHON:-python3} import everything
    export PYTHONPATH=$PWD/bindings/python/src
    in_turns "$python" bench/bindings/decide.py
    echo "decide, memory reused: C $c ns, Python ${best[0]} ns"
    figure "Python above C" $((best[0] - c)) 3000 ns
    read -r import everything < <("$python" bench/bindings/import.py)
    figure "import gputide above import json" "$import" 30 ms
    echo "with every module and the library opened: $everything ms above import json"
}
