# Warnings are errors for every target of ours; nothing of this reaches a consumer of the installed package.
add_library(gputide_warnings INTERFACE)
target_compile_options(gputide_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wformat=2 -Wcast-align -Werror
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast>
    # Aggregates name the members that differ from the default; the rest is what the struct says.
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>
    # g++ 12 sees overlaps in optimised "literal" + string that are not there (GCC bug 105651, mended in 13).
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    # Where files are compiled together, clang takes a neighbour's constant for one that is shadowed; it judges them apart.
    $<$<AND:$<CXX_COMPILER_ID:Clang>,$<BOOL:${GPUTIDE_UNITS}>>:-Wno-shadow>)

set(GPUTIDE_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")
if(GPUTIDE_SANITIZE)
    add_compile_options(-fsanitize=${GPUTIDE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${GPUTIDE_SANITIZE})
endif()
