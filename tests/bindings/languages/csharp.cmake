# C#, on the library of this build.  The binding, its tests and its examples are compiled by a test of their own, which fails with its
# remedy where mono is missing: gputide itself builds without it.
set(csharp ${PROJECT_BINARY_DIR}/bindings/csharp)
set(program "mono '${csharp}/Conformance.exe'")
add_test(NAME bindings_csharp_build
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/languages/csharp_build.sh ${PROJECT_SOURCE_DIR} ${csharp})
set_tests_properties(bindings_csharp_build PROPERTIES FIXTURES_SETUP bindings_csharp)
if(NOT GPUTIDE_SANITIZE)  # of mono the sanitizer's runtime would have to come first
    add_test(NAME bindings_csharp COMMAND mono --debug ${csharp}/Tests.exe)
    add_test(NAME bindings_csharp_conformance COMMAND gputide_conformance --through ${program} ${cases})
    add_test(NAME bindings_csharp_protocol COMMAND Python3::Interpreter ${protocol_test} $<TARGET_FILE:gputide_protocol> ${program})
    set_tests_properties(bindings_csharp PROPERTIES PROCESSORS 2)  # some of it is a matter of milliseconds
    set(name bindings_csharp)
    set_tests_properties(${name} ${name}_conformance ${name}_protocol PROPERTIES
        FIXTURES_REQUIRED bindings_csharp
        ENVIRONMENT "GPUTIDE_LIBRARY=$<TARGET_FILE:gputide_full>;CC=${CMAKE_C_COMPILER}"
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
