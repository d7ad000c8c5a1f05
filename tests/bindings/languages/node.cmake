# Node, on the library and the addon of this build (cmake/node.cmake, which says when there is none).
if(GPUTIDE_NODE_ADDON)
    set(node ${PROJECT_SOURCE_DIR}/bindings/node)
    set(program "'${GPUTIDE_NODE_PROGRAM}' '${CMAKE_CURRENT_SOURCE_DIR}/node/conformance.js' '${CMAKE_CURRENT_BINARY_DIR}/calls.js'")
    gputide_call_table(node ${CMAKE_CURRENT_BINARY_DIR}/calls.js)
    file(GLOB node_tests CONFIGURE_DEPENDS ${node}/tests/*.test.js)
    add_test(NAME bindings_node COMMAND ${GPUTIDE_NODE_PROGRAM} --test ${node_tests} WORKING_DIRECTORY ${node})
    add_test(NAME bindings_node_conformance COMMAND gputide_conformance --through ${program} ${cases})
    add_test(NAME bindings_node_protocol
        COMMAND Python3::Interpreter ${protocol_test} $<TARGET_FILE:gputide_protocol> ${program})
    set_tests_properties(bindings_node bindings_node_conformance bindings_node_protocol PROPERTIES ENVIRONMENT
        "GPUTIDE_LIBRARY=$<TARGET_FILE:gputide_full>;GPUTIDE_NODE_ADDON=$<TARGET_FILE:gputide_node>;CC=${CMAKE_C_COMPILER}")
elseif(NOT GPUTIDE_SANITIZE)
    add_test(NAME bindings_node COMMAND sh -c
        "echo 'The tests of bindings/node need node_api.h: npm install --ignore-scripts in bindings/node, or apt-get install libnode-dev'; exit 1")
endif()
