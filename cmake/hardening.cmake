# Hardening of optimized builds against faults in parsers: stack canaries, checked copies, guarded stacks, marked jump targets where
# they are checked, and relocation tables that are read-only after start.  Debug builds stay easy to step through; sanitizers find
# more themselves.
#   gputide_harden(target)       the link's half; a link across files generates code again, and takes these flags for it
#   GPUTIDE_HARDENED_ARCHIVE     the flags for what is compiled outside of CMake's targets, for the library to take inside
include(CheckCCompilerFlag)

# The processor checks jumps in a file if each of its objects has marks.  The linker adds the C library's start files to them;
# Debian 12's have no marks: there the flag would cost a fiftieth of the library and have no effect.
function(gputide_find_marks flags)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=crti.o OUTPUT_VARIABLE start_file OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${CMAKE_READELF} --notes ${start_file} OUTPUT_VARIABLE notes ERROR_QUIET)
    if(notes MATCHES "IBT")
        set(${flags} -fcf-protection PARENT_SCOPE)
    endif()
endfunction()

set(GPUTIDE_HARDENING "")
set(GPUTIDE_HARDENED_ARCHIVE "")
if(NOT GPUTIDE_SANITIZE)
    gputide_find_marks(GPUTIDE_MARKS)
    # The last flag is ARM's: returns are checked without a mark.
    foreach(flag -fstack-protector-strong -fstack-clash-protection ${GPUTIDE_MARKS} -mbranch-protection=standard)
        string(MAKE_C_IDENTIFIER GPUTIDE_TAKES_${flag} takes)
        check_c_compiler_flag(${flag} ${takes})
        if(${takes})
            list(APPEND GPUTIDE_HARDENING ${flag})
        endif()
    endforeach()
    # Some compilers define it already, and a second value is a warning.
    set(GPUTIDE_HARDENED_ARCHIVE ${GPUTIDE_HARDENING} -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    # OpenSSL's macros write __FILE__ into what they compile to, and no file may name the folder in which it was built.
    add_compile_options("$<$<NOT:$<CONFIG:Debug>>:${GPUTIDE_HARDENED_ARCHIVE}>"
        "$<$<NOT:$<CONFIG:Debug>>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=;-ffile-prefix-map=${PROJECT_BINARY_DIR}/=>")
endif()
# Programs of the build tree find the library beside them; an installed one has no run path.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

function(gputide_harden target)
    if(NOT GPUTIDE_SANITIZE)
        target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now "$<$<NOT:$<CONFIG:Debug>>:${GPUTIDE_HARDENING}>")
    endif()
endfunction()
