#!/usr/bin/env bash
# What a decision from Go adds to the bare C call of the same run.
#   bench/bindings/go.sh LIBRARY
# Prints a line per figure with its bound; exit status 1 where one is beyond it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=bench/bindings/figure.sh
source bench/bindings/figure.sh

library=$(realpath "${1:?usage: bench/bindings/go.sh LIBRARY}")
export GPUTIDE_LIBRARY=$library
tests/bindings/languages/with_go.sh go build -C bench/bindings/go -o "$folder/go" .
c=$(bare_call "$library")
read -r values observation < <("$folder/go")
echo "decide, memory reused: C $c ns, Go $values ns; State.Decide with an observation $observation ns"
figure "Go above C" $((values - c)) 300 ns
exit "$beyond"
