# Packed relative relocations (DT_RELR) take a fiftieth of the space.  Linkers write them since binutils 2.38; glibc loads them
# since 2.36 and announces this by a symbol version.  A library with them does not load on older systems.
#   GPUTIDE_PACKED_RELOCATIONS   what links such a library for the machine that it is built on; empty where that is older
set(GPUTIDE_PACKED_RELOCATIONS "")
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -Wl,--help OUTPUT_VARIABLE help ERROR_QUIET)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libc.so.6 OUTPUT_VARIABLE libc ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
if(help MATCHES "pack-relative-relocs" AND EXISTS "${libc}")
    file(STRINGS ${libc} versions REGEX "^GLIBC_ABI_DT_RELR$")
    if(versions)
        set(GPUTIDE_PACKED_RELOCATIONS -Wl,-z,pack-relative-relocs)
    endif()
endif()
