# Archives that Debian does not ship, built once per user from its source packages: position-independent, hidden, optimized.
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

# gputide_version_of(version folder): the version in the name of a folder that gputide_debian_source gave, curl_7.88.1-10.
function(gputide_version_of version folder)
    get_filename_component(name ${folder} NAME)
    string(REGEX REPLACE "^[^_]*_" "" name ${name})
    set(${version} ${name} PARENT_SCOPE)
endfunction()

# gputide_archive(gputide_simdjson NAME simdjson VERSION 3.0.1-1 SOURCE folder BUILD command...): a target to link.  The build
# makes its archive if it is not cached yet: the command runs in an empty folder and leaves lib<NAME>.a in it.
function(gputide_archive target)
    cmake_parse_arguments(PARSE_ARGV 1 build "" "NAME;VERSION;SOURCE" "BUILD")
    string(SHA256 key "${build_VERSION};${build_SOURCE};${build_BUILD};${CMAKE_CXX_COMPILER_VERSION}")
    string(SUBSTRING ${key} 0 12 key)
    set(archive ${GPUTIDE_CACHE}/archives/${build_NAME}-${build_VERSION}-${key}/lib${build_NAME}.a)
    add_custom_command(OUTPUT ${archive}
        COMMAND ${PROJECT_SOURCE_DIR}/cmake/archive.sh ${archive} ${PROJECT_BINARY_DIR}/archives/${build_NAME} ${build_BUILD}
        COMMENT "Taking ${build_NAME} ${build_VERSION} from ${archive}, or building it" VERBATIM)
    add_custom_target(${target}_archive DEPENDS ${archive})
    # Imported, so that the linker sees it before the libraries that it needs in turn.
    add_library(${target} STATIC IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${archive})
    if(EXISTS ${build_SOURCE}/include)
        target_include_directories(${target} INTERFACE ${build_SOURCE}/include)
    endif()
    add_dependencies(${target} ${target}_archive)
endfunction()

# ---- simdjson inside the library, hidden: a host may export another one, and the dynamic linker would give us the host's.
# Debian ships no archive of it.  The processor chooses between its kernels haswell (AVX2) and fallback; docs/decisions.md
# says why the other two are left out.
set(version 3.0.1-1)
gputide_debian_source(source simdjson=${version} OPTION GPUTIDE_SIMDJSON_SOURCE)
set(kernels SIMDJSON_IMPLEMENTATION_WESTMERE=0 SIMDJSON_IMPLEMENTATION_ICELAKE=0)
list(TRANSFORM kernels PREPEND -D OUTPUT_VARIABLE without_kernels)
set(compile ${CMAKE_CXX_COMPILER} -std=c++17 -O3 -DNDEBUG -fPIC -fvisibility=hidden -fvisibility-inlines-hidden
    -ffunction-sections -fdata-sections ${GPUTIDE_HARDENED_ARCHIVE} ${without_kernels} -I${source}/singleheader)
# Nothing calls parse_many: the second instance of the parser that it needs, 10 kB for each kernel, is left out.
set(without_streams "s/stage2::tape_builder::parse_document<true>([*]this, _doc)/UNSUPPORTED_ARCHITECTURE/")
gputide_archive(gputide_simdjson NAME simdjson VERSION ${version} SOURCE ${source}
    BUILD sh -c "sed '${without_streams}' ${source}/singleheader/simdjson.cpp >simdjson.cpp && \"$@\" -c simdjson.cpp -o simdjson.o && ${CMAKE_AR} rcs libsimdjson.a simdjson.o" sh ${compile})
# Off also in a Debug build: the development checks write to an array without checking that its allocation succeeded.
target_compile_definitions(gputide_simdjson INTERFACE ${kernels} SIMDJSON_DEVELOPMENT_CHECKS=0)
