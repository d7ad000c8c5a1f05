# What the measurements of the bindings share: the bare C call of the same run, and a line per figure with its bound.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
beyond=0

# figure NAME VALUE BOUND UNIT; beyond is 1 from the first one on that is beyond its bound.
figure() {
    local verdict=fine
    if awk -v value="$2" -v bound="$3" 'BEGIN { exit !(value > bound) }'; then verdict=beyond beyond=1; fi
    printf '%-44s %9s %-3s (at most %s)  %s\n' "$1" "$2" "$4" "$3" "$verdict"
}

# bare_call LIBRARY: the nanoseconds of a decision with all memory reused.
bare_call() {
    "${CC:-cc}" -O2 -Iinclude -o "$folder/decide" bench/bindings/decide.c -ldl
    "$folder/decide" "$1"
}
