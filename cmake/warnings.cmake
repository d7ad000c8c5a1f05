# Warnings are errors for every target of this project; consumers of the installed package do not inherit them.
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
