# libgputide.a for programs that take the library inside, as bindings/rust does with its feature vendored: one object with everything
# in it, of which gputide_* alone is seen.  What it needs of the program's link: the C library and libgcc_s, the unwinder.
#   gputide_static_library(target ARCHIVE libgputide.a OBJECTS ...)   the target makes the archive; all: not a part of it

function(gputide_static_library target)
    cmake_parse_arguments(PARSE_ARGV 1 static "" "ARCHIVE" "OBJECTS")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE standard OUTPUT_STRIP_TRAILING_WHITESPACE)
    # An archive is looked at once, from left to right, and the one of the time zones is written in C++, too.
    if(GPUTIDE_CRON)
        set(standard $<LINK_GROUP:RESCAN,gputide_inside_zone,gputide_inside_civil_time,${standard}>)
    endif()
    # The link of one object from many: no startup code and no shared library; the groups in which inline functions lie are dissolved,
    # as copies of them in the program would else take their place.  What objects hold for optimization across files is left out.
    add_executable(${target}_whole EXCLUDE_FROM_ALL ${static_OBJECTS})
    target_link_libraries(${target}_whole PRIVATE gputide_inside ${standard})
    target_link_options(${target}_whole PRIVATE -r -static -nostdlib -Wl,--force-group-allocation $<$<CXX_COMPILER_ID:GNU>:-fno-lto>)
    set_target_properties(${target}_whole PROPERTIES LINKER_LANGUAGE CXX SUFFIX .o ENABLE_EXPORTS OFF)
    add_custom_command(OUTPUT ${static_ARCHIVE}
        # Symbols that the C++ library wants to be one in a process stay visible to the linker; weak, it gives way to the program's.
        COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=gputide_* --weaken-symbol=_Z* --strip-debug --remove-section=.gnu.lto_* --remove-section=.gnu.debuglto_*
            $<TARGET_FILE:${target}_whole> ${target}.o
        COMMAND ${CMAKE_COMMAND} -E rm -f ${static_ARCHIVE}
        COMMAND ${CMAKE_AR} rcs ${static_ARCHIVE} ${target}.o
        DEPENDS ${target}_whole VERBATIM COMMENT "One object of all in ${static_ARCHIVE}")
    add_custom_target(${target} DEPENDS ${static_ARCHIVE})
endfunction()
