# All classes, the tests and the examples by javac, every warning an error.  Each javac compiles the whole of its sources anew.
set(junit /usr/share/java)
set(test_path ${classes})
foreach(jar junit-jupiter-api junit-jupiter-engine junit-platform-commons junit-platform-engine junit-platform-launcher
        junit-platform-console opentest4j apiguardian-api picocli)
    if(NOT EXISTS ${junit}/${jar}.jar)
        message(FATAL_ERROR "the tests of bindings/java need JUnit 5 (${junit}/${jar}.jar is not there): apt-get install junit5")
    endif()
    string(APPEND test_path :${junit}/${jar}.jar)
endforeach()
set(test_classes ${CMAKE_CURRENT_BINARY_DIR}/test-classes)
set(javac ${Java_JAVAC_EXECUTABLE} --release 17 -encoding UTF-8 -Werror)

# gputide_classes(NAME FOLDER [OPTION...]): the sources below FOLDER, and those of the list ${NAME}_generated.
function(gputide_classes name folder)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.java)
    list(APPEND sources ${${name}_generated})
    list(JOIN sources "\n" lines)
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.sources CONTENT "${lines}\n")
    set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${name}.stamp)
    add_custom_command(OUTPUT ${stamp}
        COMMAND ${javac} ${ARGN} @${CMAKE_CURRENT_BINARY_DIR}/${name}.sources
        COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
        DEPENDS ${sources} ${previous}
        VERBATIM)
    add_custom_target(${name} ALL DEPENDS ${stamp})
    set(previous ${stamp} PARENT_SCOPE)
endfunction()

gputide_classes(gputide_java_main src/main/java -Xlint:all -Xdoclint:all/protected -d ${classes})
gputide_classes(gputide_java_test src/test/java -Xlint:all -cp ${test_path} -d ${test_classes})

# The conformance program of tests/bindings/java, with a generated table of calls.
set(tests ${root}/tests/bindings)
set(gputide_java_conformance_generated ${CMAKE_CURRENT_BINARY_DIR}/conformance/Calls.java)
file(GLOB tables CONFIGURE_DEPENDS ${tests}/conformance/*.py)
add_custom_command(OUTPUT ${gputide_java_conformance_generated}
    COMMAND ${Python3_EXECUTABLE} ${tests}/conformance java ${gputide_java_conformance_generated}
    DEPENDS ${tables} ${root}/bindings/abi.json VERBATIM)
gputide_classes(gputide_java_conformance ../../tests/bindings/java -Xlint:all,-auxiliaryclass -cp ${classes}
    -d ${CMAKE_CURRENT_BINARY_DIR}/conformance-classes)
gputide_classes(gputide_java_examples examples -Xlint:all -cp ${classes} -d ${CMAKE_CURRENT_BINARY_DIR}/example-classes)

# Runs the tests: java @run-tests
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/run-tests CONTENT "-Xcheck:jni
-Dgputide.java.dir=${CMAKE_CURRENT_SOURCE_DIR}
-Dgputide.test.path=${classes}:${test_classes}
-cp ${test_path}:${test_classes}
org.junit.platform.console.ConsoleLauncher
--disable-banner
--disable-ansi-colors
--details=tree
--fail-if-no-tests
--include-engine=junit-jupiter
--scan-classpath=${test_classes}
")
