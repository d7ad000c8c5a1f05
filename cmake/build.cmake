# Settings of every compilation: the version that it says, the cache of objects, warnings and sanitizers.

# ---- gputide.h says the version to a compiler, the project to CMake and pkg-config: they agree.
#   GPUTIDE_ABI    the number of the binary interface, which is also the library's SOVERSION
function(gputide_read_version)
    set(header ${PROJECT_SOURCE_DIR}/include/gputide/gputide.h)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(READ ${header} text)
    foreach(name VERSION_MAJOR VERSION_MINOR VERSION_PATCH ABI_VERSION)
        if(NOT text MATCHES "\n#define GPUTIDE_${name} ([0-9]+)\n")
            message(FATAL_ERROR "${header} does not define GPUTIDE_${name} as a number")
        endif()
        set(${name} ${CMAKE_MATCH_1})
    endforeach()
    set(version ${VERSION_MAJOR}.${VERSION_MINOR}.${VERSION_PATCH})
    if(NOT version STREQUAL PROJECT_VERSION)
        message(FATAL_ERROR "${header} says ${version}, CMakeLists.txt says ${PROJECT_VERSION}; make them agree")
    endif()
    set(GPUTIDE_ABI ${ABI_VERSION} PARENT_SCOPE)
endfunction()
gputide_read_version()

# ---- Developers' builds go through ccache where it is installed, and so do those of the packages that tests/run.sh makes: it sets the
# environment variable GPUTIDE_CCACHE, which passes through pip, npm and cargo.
find_program(GPUTIDE_CCACHE ccache)
if(GPUTIDE_CCACHE AND (GPUTIDE_DEVELOPER_MODE OR DEFINED ENV{GPUTIDE_CCACHE}))
    # ccache's manual requires these settings for objects compiled with a precompiled header.  Paths within the tree are relative to
    # the build folder, so that one cache serves every checkout.
    set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${GPUTIDE_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    else()
        add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
    endif()
endif()

# ---- Warnings are errors for every target of this project; consumers of the installed package do not inherit them.
add_library(gputide_warnings INTERFACE)
target_compile_options(gputide_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wformat=2 -Wcast-align -Werror
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast>
    # Aggregates name the members that differ from the default; the rest is what the struct says.
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>
    # g++ 12 sees overlaps in optimized "literal" + string that are not there (GCC bug 105651, fixed in 13).
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    # In unity builds clang reports a neighboring file's constant as shadowed; a build without units still has this warning.
    $<$<AND:$<CXX_COMPILER_ID:Clang>,$<BOOL:${GPUTIDE_UNITS}>>:-Wno-shadow>)

set(GPUTIDE_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")
if(GPUTIDE_SANITIZE)
    add_compile_options(-fsanitize=${GPUTIDE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${GPUTIDE_SANITIZE})
endif()
