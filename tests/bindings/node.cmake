# Node, on the library and the addon of this build: its unit tests and examples, every case of every file over its public functions,
# and every call of the protocol beside the C door's answer.  Nothing of the network.
if(GPUTIDE_NODE_ADDON)
    set(node ${PROJECT_SOURCE_DIR}/bindings/node)
    set(program "'${GPUTIDE_NODE_PROGRAM}' '${node}/lib/conformance/index.js'")
    file(GLOB node_tests CONFIGURE_DEPENDS ${node}/tests/*.test.js)
    add_test(NAME bindings_node COMMAND ${GPUTIDE_NODE_PROGRAM} --test ${node_tests} WORKING_DIRECTORY ${node})
    add_test(NAME bindings_node_conformance COMMAND gputide_conformance --through ${program} ${cases})
    add_test(NAME bindings_node_doors
        COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/doors_test.py $<TARGET_FILE:gputide_door> ${program})
    set_tests_properties(bindings_node bindings_node_conformance bindings_node_doors PROPERTIES ENVIRONMENT
        "GPUTIDE_LIBRARY=$<TARGET_FILE:gputide>;GPUTIDE_NODE_ADDON=$<TARGET_FILE:gputide_node>;CC=${CMAKE_C_COMPILER}")
endif()
