# shellcheck shell=bash
# Java, for run.sh.  The classes are compiled below build/bindings, once.
measure_java() {
    local java=build/bindings/java reused made
    tests/bindings/languages/java_build.sh bindings/java "$java" >/dev/null
    read -r reused made < <(java -cp "$java/classes" bench/bindings/Decide.java)
    echo "decide, memory reused: C $c ns, Java $reused ns; with a Decision made $made ns"
    figure "Java above C" $((reused - c)) 50 ns
}
