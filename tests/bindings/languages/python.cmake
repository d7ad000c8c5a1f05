# Python, on the library of this build.
set(python ${PROJECT_SOURCE_DIR}/bindings/python)
set(program "'${Python3_EXECUTABLE}' '${CMAKE_CURRENT_SOURCE_DIR}/python/conformance.py' '${CMAKE_CURRENT_BINARY_DIR}/calls.py'")
gputide_call_table(python ${CMAKE_CURRENT_BINARY_DIR}/calls.py)
add_test(NAME bindings_python COMMAND Python3::Interpreter -X dev -m unittest discover -s tests -t . WORKING_DIRECTORY ${python})
add_test(NAME bindings_python_conformance COMMAND gputide_conformance --through ${program} ${cases})
add_test(NAME bindings_python_protocol
    COMMAND Python3::Interpreter ${protocol_test} $<TARGET_FILE:gputide_protocol> ${program})
add_test(NAME bindings_python_streams COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/streams_test.py)
set_tests_properties(bindings_python_streams PROPERTIES ENVIRONMENT
    "${under_asan};PYTHONPATH=${python}/src:${PROJECT_SOURCE_DIR}/tests/gputided;GPUTIDE_LIBRARY=$<TARGET_FILE:gputide_full>")
set_tests_properties(bindings_python bindings_python_conformance bindings_python_protocol PROPERTIES
    ENVIRONMENT "${under_asan};PYTHONPATH=${python}/src;GPUTIDE_LIBRARY=$<TARGET_FILE:gputide_full>;CC=${CMAKE_C_COMPILER}")
