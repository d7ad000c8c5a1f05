#!/usr/bin/env bash
# What a binding adds to the bare C call, measured in one run with it, and what loading it costs.
#   bench/bindings/run.sh LIBRARY [PYTHON]
# Prints a line per figure with its bound; exit status 1 where one is beyond it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=bench/bindings/figure.sh
source bench/bindings/figure.sh

library=$(realpath "${1:?usage: bench/bindings/run.sh LIBRARY [PYTHON]}") python=${2:-python3}
export GPUTIDE_LIBRARY=$library PYTHONPATH=$PWD/bindings/python/src

c=$(bare_call "$library")
py=$("$python" bench/bindings/decide.py)
echo "decide, memory reused: C $c ns, Python $py ns"
figure "Python above C" $((py - c)) 3000 ns
read -r import everything < <("$python" bench/bindings/import.py)
figure "import gputide above import json" "$import" 30 ms
echo "with every module and the library opened: $everything ms above import json"
exit "$beyond"
