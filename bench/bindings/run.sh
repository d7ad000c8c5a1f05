#!/usr/bin/env bash
# What a binding adds to the bare C call, measured in one run with it, and what loading it costs.
#   bench/bindings/run.sh LIBRARY [LANGUAGE...]
# languages/LANGUAGE.sh has how a language is measured; all of them are, unless some are named.  Prints a line per figure with its
# bound; exit status 1 where one is beyond it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

library=$(realpath "${1:?usage: bench/bindings/run.sh LIBRARY [LANGUAGE...]}")
shift
if ((!$#)); then set -- $(basename -s .sh bench/bindings/languages/*.sh); fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GPUTIDE_LIBRARY=$library
beyond=0

# figure NAME VALUE BOUND UNIT
figure() {
    local verdict=fine
    if awk -v value="$2" -v bound="$3" 'BEGIN { exit !(value > bound) }'; then verdict=beyond beyond=1; fi
    printf '%-44s %9s %-3s (at most %s)  %s\n' "$1" "$2" "$4" "$3" "$verdict"
}

# in_turns COMMAND...: C and the command, five times in turns, as another program on the machine slows whichever runs beside it.  The
# best of C's figures is c then, the best of the command's first figure and so on best[0], best[1].
in_turns() {
    local turn index said
    best=()
    c=$("$folder/decide" "$library")
    for turn in 1 2 3 4 5; do
        read -ra said < <("$@")
        for index in "${!said[@]}"; do best[index]=$(least "${best[index]:-}" "${said[index]}"); done
        c=$(least "$c" "$("$folder/decide" "$library")")
    done
}

least() { printf '%s\n' "$@" | sed '/^$/d' | sort -n | sed -n 1p; }

"${CC:-cc}" -O2 -Iinclude -o "$folder/decide" bench/bindings/decide.c -ldl
for language; do
    # shellcheck source=/dev/null
    source "bench/bindings/languages/$language.sh"
    "measure_$language"
done
exit $beyond
