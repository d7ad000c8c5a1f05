# shellcheck shell=bash
# Go, for run.sh: through cgo, the library opened at run time.
measure_go() {
    tests/bindings/languages/with_go.sh go build -C bench/bindings/go -o "$folder/go" .
    in_turns "$folder/go"
    echo "decide, memory reused: C $c ns, Go ${best[0]} ns; State.Decide with an observation ${best[1]} ns"
    figure "Go above C" $((best[0] - c)) 300 ns
}
