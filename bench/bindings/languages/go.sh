# shellcheck shell=bash
# Go, for run.sh: through cgo, the library opened at run time.
measure_go() {
    local values observation
    tests/bindings/languages/with_go.sh go build -C bench/bindings/go -o "$folder/go" .
    read -r values observation < <("$folder/go")
    echo "decide, memory reused: C $c ns, Go $values ns; State.Decide with an observation $observation ns"
    figure "Go above C" $((values - c)) 300 ns
}
