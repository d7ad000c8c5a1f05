# Java, on the library of this build.  Shim, classes and tests are compiled by a test of their own, which fails with its remedy where
# the JDK or JUnit 5 is missing: gputide itself builds without them.
set(java ${PROJECT_BINARY_DIR}/bindings/java)
set(program "java -Djava.util.logging.config.file=/dev/null -cp '${java}/classes:${java}/conformance-classes' Conformance")
add_test(NAME bindings_java_build COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/languages/java_build.sh
    ${PROJECT_SOURCE_DIR}/bindings/java ${java} ${CMAKE_COMMAND} ${CMAKE_C_COMPILER})
add_test(NAME bindings_java COMMAND java @${java}/run-tests)
add_test(NAME bindings_java_conformance COMMAND gputide_conformance --through ${program} ${cases})
add_test(NAME bindings_java_protocol COMMAND Python3::Interpreter ${protocol_test} $<TARGET_FILE:gputide_protocol> ${program})
set_tests_properties(bindings_java_build PROPERTIES FIXTURES_SETUP bindings_java)
set_tests_properties(bindings_java PROPERTIES
    PROCESSORS 2  # some of it is a matter of milliseconds
    FAIL_REGULAR_EXPRESSION "in native method|JNI local refs|handler modified")  # what -Xcheck:jni says
set_tests_properties(bindings_java bindings_java_conformance bindings_java_protocol PROPERTIES
    FIXTURES_REQUIRED bindings_java
    ENVIRONMENT "GPUTIDE_LIBRARY=$<TARGET_FILE:gputide_full>;CC=${CMAKE_C_COMPILER}")
