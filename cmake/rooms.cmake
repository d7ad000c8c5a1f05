# A room is one folder under src/ and one object library.  It sees the headers of exactly the rooms that it USES:
# each room's headers are reached through a link of their own, so that any other include fails to build.
#
#   gputide_room(decide USES base SOURCES tick.cpp stabilise.cpp)
#   gputide_room(http USES base LIBRARIES CURL::libcurl SOURCES client.cpp)
#
# In the release preset SOURCES are compiled for size, as most code runs once a poll or once a manifest and waits for a
# network anyway; HOT names the files that bench/ measures per decision, per sample or per byte, compiled for speed.
function(gputide_room name)
    cmake_parse_arguments(room "" "" "USES;LIBRARIES;SOURCES;HOT" ${ARGN})
    set(view ${PROJECT_BINARY_DIR}/rooms/${name})
    file(MAKE_DIRECTORY ${view})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${view}/${name} SYMBOLIC)

    # What another room links to see this one: its headers and those that they need in turn, never its objects.
    add_library(gputide_view_${name} INTERFACE)
    target_include_directories(gputide_view_${name} INTERFACE ${view})
    list(TRANSFORM room_USES PREPEND gputide_view_)
    target_link_libraries(gputide_view_${name} INTERFACE ${room_USES})

    list(TRANSFORM room_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/${name}/)
    list(TRANSFORM room_HOT PREPEND ${PROJECT_SOURCE_DIR}/src/${name}/)
    add_library(gputide_${name} OBJECT ${room_SOURCES} ${room_HOT})
    set_source_files_properties(${room_SOURCES} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-Os>)
    target_link_libraries(gputide_${name} PRIVATE gputide_view_${name} gputide_warnings ${room_LIBRARIES})
    set_property(GLOBAL APPEND PROPERTY GPUTIDE_ROOMS gputide_${name})
    set_property(GLOBAL APPEND PROPERTY GPUTIDE_ROOM_LIBRARIES ${room_LIBRARIES})
endfunction()
