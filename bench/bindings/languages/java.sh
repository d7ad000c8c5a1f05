# shellcheck shell=bash
# Java, for run.sh.  The classes are compiled below build/bindings, once.
measure_java() {
    local java=build/bindings/java
    tests/bindings/languages/java_build.sh bindings/java "$java" >/dev/null
    in_turns java -cp "$java/classes" bench/bindings/Decide.java
    echo "decide, memory reused: C $c ns, Java ${best[0]} ns; with a Decision made ${best[1]} ns"
    figure "Java above C" $((best[0] - c)) 50 ns
}
