# A room is one folder under src/ and one object library of every *.cpp in it.  It sees the headers of exactly the rooms that
# it USES: each room's headers are reached through a link of their own, so that any other include fails to build.
#
#   gputide_room(decide FOR speed USES base config)
#   gputide_room(http FOR size USES base LIBRARIES CURL::libcurl)
#
# FOR says what the release preset optimises: speed for what bench/ measures per decision, per sample or per byte, size for
# what runs once a poll or once a manifest and waits for a network anyway.  WITHOUT names files that this build leaves out.
function(gputide_room name)
    cmake_parse_arguments(PARSE_ARGV 1 room "" "FOR" "USES;LIBRARIES;WITHOUT")
    set(view ${PROJECT_BINARY_DIR}/rooms/${name})
    file(MAKE_DIRECTORY ${view})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${view}/${name} SYMBOLIC)

    # What another room links to see this one: its headers and those that they need in turn, never its objects.
    add_library(gputide_view_${name} INTERFACE)
    target_include_directories(gputide_view_${name} INTERFACE ${view})
    list(TRANSFORM room_USES PREPEND gputide_view_)
    target_link_libraries(gputide_view_${name} INTERFACE ${room_USES})

    gputide_sources(sources WITHOUT ${room_WITHOUT})
    add_library(gputide_${name} OBJECT ${sources})
    gputide_optimise(gputide_${name} FOR ${room_FOR})
    # Who takes the objects takes the libraries that they call.
    target_link_libraries(gputide_${name} PRIVATE gputide_view_${name} gputide_warnings PUBLIC ${room_LIBRARIES})
    set_property(GLOBAL APPEND PROPERTY GPUTIDE_ROOMS ${name})
endfunction()

# The release preset's flags, and the standard headers compiled once for all rooms that share them.
function(gputide_optimise target FOR goal)
    set(headers gputide_headers_${goal})
    set(flags_for_speed $<$<CONFIG:Release>:-O2>)
    set(flags_for_size $<$<CONFIG:Release>:-Os>)
    if(NOT DEFINED flags_for_${goal})
        message(FATAL_ERROR "${target}: FOR is neither speed nor size")
    endif()
    if(NOT TARGET ${headers})
        file(CONFIGURE OUTPUT ${headers}.cpp CONTENT "")
        add_library(${headers} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${headers}.cpp)
        target_link_libraries(${headers} PRIVATE gputide_warnings)
        target_compile_options(${headers} PRIVATE ${flags_for_${goal}})
        target_precompile_headers(${headers} PRIVATE ${PROJECT_SOURCE_DIR}/src/headers.hpp)
    endif()
    target_compile_options(${target} PRIVATE ${flags_for_${goal}})
    target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# gputide_link_rooms(gputide_test_http base http): the headers and the objects of these rooms, for a program beside the library.
function(gputide_link_rooms target)
    foreach(room ${ARGN})
        target_link_libraries(${target} PRIVATE gputide_${room} gputide_view_${room})
    endforeach()
endfunction()

# gputide_sources(list [WITHOUT file...]): every *.cpp below the calling CMakeLists.txt.  A new file is
# found by the next build.
function(gputide_sources list)
    cmake_parse_arguments(PARSE_ARGV 1 sources "" "" "WITHOUT")
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    list(TRANSFORM sources_WITHOUT PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    list(REMOVE_ITEM found ${sources_WITHOUT})
    set(${list} ${found} PARENT_SCOPE)
endfunction()
