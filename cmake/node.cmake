# The addon of bindings/node, gputide.node.  It opens libgputide-full.so.1 when it is first used and links nothing of it.
#   gputide_node                 the addon; there where node_api.h is: npm's node-api-headers, Node's own headers, Debian's libnode-dev
#   GPUTIDE_NODE_ADDON           its file; "" where there is none
option(GPUTIDE_NODE "Build the addon of bindings/node, with Node's headers or not at all" OFF)
set(GPUTIDE_NODE_ADDON "")

if(GPUTIDE_NODE OR (GPUTIDE_DEVELOPER_MODE AND NOT GPUTIDE_SANITIZE))
    set(folder ${PROJECT_SOURCE_DIR}/bindings/node)
    find_program(GPUTIDE_NODE_PROGRAM NAMES node nodejs)
    get_filename_component(prefix "${GPUTIDE_NODE_PROGRAM}" REALPATH)
    get_filename_component(prefix "${prefix}/../.." ABSOLUTE)
    find_path(GPUTIDE_NODE_HEADERS node_api.h
        PATHS ${folder}/node_modules/node-api-headers/include ${prefix}/include/node /usr/include/node NO_DEFAULT_PATH)
    if(GPUTIDE_NODE_HEADERS)
        # Its raw layer, src/abi.hpp and three files of lib/.
        find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
        execute_process(COMMAND ${Python3_EXECUTABLE} -m bindings.generator node WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
            COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
        file(GLOB made_of CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/gputide/*.h ${PROJECT_SOURCE_DIR}/bindings/generator/*.py)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${made_of})
        file(GLOB sources CONFIGURE_DEPENDS ${folder}/src/*.cpp)
        add_library(gputide_node MODULE ${sources} ${PROJECT_SOURCE_DIR}/bindings/native/library.c)
        set_target_properties(gputide_node PROPERTIES CXX_STANDARD 17 C_STANDARD 99 C_VISIBILITY_PRESET hidden
            PREFIX "" OUTPUT_NAME gputide SUFFIX .node LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bindings/node)
        target_include_directories(gputide_node PRIVATE
            ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/gputide ${PROJECT_SOURCE_DIR}/bindings/native)
        target_include_directories(gputide_node SYSTEM PRIVATE ${GPUTIDE_NODE_HEADERS})
        target_compile_definitions(gputide_node PRIVATE NAPI_VERSION=8)
        target_link_libraries(gputide_node PRIVATE gputide_warnings Threads::Threads ${CMAKE_DL_LIBS})
        # Its threads may be in their last lines when a Worker's end would unmap it.
        target_link_options(gputide_node PRIVATE -Wl,-z,nodelete)
        gputide_harden(gputide_node)
        set(GPUTIDE_NODE_ADDON ${PROJECT_BINARY_DIR}/bindings/node/gputide.node)
    elseif(GPUTIDE_NODE)
        message(FATAL_ERROR "no node_api.h: npm install in bindings/node brings it, or apt-get install libnode-dev")
    else()
        message(STATUS "bindings/node is left out, its test fails: no node_api.h (npm install in bindings/node, or apt-get install libnode-dev)")
    endif()
endif()
