# shellcheck shell=bash
# Java: run.sh java.  Maven with its plugins and JUnit 5 come from Maven's central repository.  The tests run on the JDK that JAVA_HOME or
# PATH has, and on each one of version 21 and newer below /usr/lib/jvm, for its virtual threads.

check_toolchain() {
    local tool
    for tool in java javac; do command -v "$tool" >/dev/null || fail "$tool is missing: apt-get install openjdk-17-jdk-headless"; done
    [[ -e /usr/share/java/junit-platform-console.jar ]] || fail 'JUnit 5 is missing: apt-get install junit5'
}

run_language() {
    (($# == 0)) || usage
    command -v mvn >/dev/null || fail 'mvn is missing: apt-get install maven'
    local build=$PWD/build/bindings/java
    step 'mvn package: compile and javadoc with every warning an error, tests under -Xcheck:jni, the jars'
    export GPUTIDE_LEAK_ROUNDS=${GPUTIDE_LEAK_ROUNDS:-20000} GPUTIDE_CONCURRENT_MS=${GPUTIDE_CONCURRENT_MS:-5000}
    (cd bindings/java && mvn -q -B package)
    java_counts bindings/java/target/surefire-reports
    java_jni bindings/java/target/surefire-reports
    step 'the jar as a module'
    java_module bindings/java/target/gputide-0.3.0.jar
    step 'what is in the jars'
    python3 tests/bindings/jar_test.py bindings/java/pom.xml bindings/java/target
    step 'classes, tests and examples without Maven'
    tests/bindings/build.sh java bindings/java "$build" >/dev/null
    java_newer "$build"
    step 'conformance'
    build/release/tests/gputide_conformance --through "$(java_program "$build")" tests/cases/*.json
    python3 tests/bindings/protocol_test.py build/release/tests/gputide_protocol "$(java_program "$build")"
    step 'cost'
    bench/bindings/run.sh "$GPUTIDE_LIBRARY" java
}

# Compilers' warnings, tests, examples and the real use are in ctest, as is -Xcheck:jni.
run_rest() {
    step 'javadoc, every warning an error'
    local sources
    sources=$(find bindings/java/src/main/java -name '*.java')
    # shellcheck disable=SC2086
    javadoc -quiet -Xdoclint:all -Werror --release 17 -encoding UTF-8 -d build/bindings/java/docs $sources
}

java_program() {
    printf "java -Djava.util.logging.config.file=/dev/null -cp '%s/classes:%s/conformance-classes' Conformance" "$1" "$1"
}

java_counts() {
    sed -nE 's/^Tests run: .*/&/p' "$1"/*.txt
}

# The output of -Xcheck:jni goes past the runner, into files beside its reports.
java_jni() {
    if grep -rE 'in native method|JNI local refs|handler modified' "$1"; then fail '-Xcheck:jni has a warning'; fi
}

java_module() {
    local folder
    folder=$(mktemp -d)
    env -u GPUTIDE_LIBRARY java -Dgputide.native.dir="$folder/native" -p "$1" --describe-module io.gputide
    env -u GPUTIDE_LIBRARY java -Dgputide.native.dir="$folder/native" -cp "$1" bindings/java/examples/NumbersAlone.java
    rm -rf "$folder"
}

java_newer() {
    local jdk version
    for jdk in /usr/lib/jvm/*/; do
        [[ -L ${jdk%/} || ! -x $jdk/bin/java ]] && continue
        version=$(sed -nE 's/^JAVA_VERSION="([0-9]+).*/\1/p' "$jdk/release")
        ((version >= 21)) || continue
        step "the tests on Java $version"
        "$jdk/bin/java" --enable-native-access=ALL-UNNAMED "@$1/run-tests"
    done
}
