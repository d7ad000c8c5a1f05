# Archives that Debian does not ship, built once per user from its source packages: position-independent, hidden, optimised.
if(DEFINED ENV{XDG_CACHE_HOME})
    set(GPUTIDE_CACHE $ENV{XDG_CACHE_HOME}/gputide)
else()
    set(GPUTIDE_CACHE $ENV{HOME}/.cache/gputide)
endif()

# gputide_debian_source(folder simdjson=3.0.1-1 OPTION GPUTIDE_SIMDJSON_SOURCE): the unpacked source, OPTION's folder if given.
function(gputide_debian_source folder package OPTION option)
    set(${option} "" CACHE PATH "The source of ${package}, where it should not come from Debian's source package")
    if(${option})
        set(${folder} ${${option}} PARENT_SCOPE)
        return()
    endif()
    execute_process(COMMAND ${PROJECT_SOURCE_DIR}/cmake/debian_source.sh ${package}
        RESULT_VARIABLE status OUTPUT_VARIABLE found ERROR_VARIABLE complaint OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "gputide needs the source of ${package}, and Debian's source package could not be had:\n"
            "  ${complaint}"
            "Unpack it yourself (apt-get source ${package}) and say -D${option}=FOLDER.")
    endif()
    set(${folder} ${found} PARENT_SCOPE)
endfunction()

# gputide_archive(archive NAME simdjson VERSION 3.0.1-1 SOURCE folder BUILD command...): the archive's path.  Where it is not
# there yet, the command runs in an empty folder and leaves lib<NAME>.a in it.
function(gputide_archive archive)
    cmake_parse_arguments(PARSE_ARGV 1 build "" "NAME;VERSION;SOURCE" "BUILD")
    string(SHA256 key "${build_VERSION};${build_SOURCE};${build_BUILD};${CMAKE_CXX_COMPILER_VERSION}")
    string(SUBSTRING ${key} 0 12 key)
    set(kept ${GPUTIDE_CACHE}/archives/${build_NAME}-${build_VERSION}-${key})
    set(${archive} ${kept}/lib${build_NAME}.a PARENT_SCOPE)
    if(EXISTS ${kept}/lib${build_NAME}.a)
        return()
    endif()
    message(STATUS "Building ${build_NAME} ${build_VERSION}; it is kept in ${kept}")
    set(work ${PROJECT_BINARY_DIR}/archives/${build_NAME})
    file(REMOVE_RECURSE ${work})
    file(MAKE_DIRECTORY ${work})
    execute_process(COMMAND ${build_BUILD} WORKING_DIRECTORY ${work} RESULT_VARIABLE status
        OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0 OR NOT EXISTS ${work}/lib${build_NAME}.a)
        message(FATAL_ERROR "${build_NAME} could not be built in ${work}:\n${output}")
    endif()
    # Another build may be at the same: each puts its own in place whole.
    string(RANDOM own)
    file(COPY ${work}/lib${build_NAME}.a DESTINATION ${kept}.${own})
    file(RENAME ${kept}.${own} ${kept} RESULT lost)
    if(lost)
        file(REMOVE_RECURSE ${kept}.${own})
    endif()
endfunction()
