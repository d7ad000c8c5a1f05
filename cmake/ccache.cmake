# Developers' builds go through ccache where it is installed, and so do those of the packages that tests/run.sh makes: it sets the
# environment variable GPUTIDE_CCACHE, which passes through pip, npm and cargo.
find_program(GPUTIDE_CCACHE ccache)
if(NOT GPUTIDE_CCACHE OR NOT (GPUTIDE_DEVELOPER_MODE OR DEFINED ENV{GPUTIDE_CCACHE}))
    return()
endif()
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
