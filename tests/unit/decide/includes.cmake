# Fails where a file of a pure module includes anything that is not on this list: no I/O, clock, thread, http or auth.
#   MODULE       the folder
#   ALSO       a module beside decide with headers that it may include: its own
#   CONFIG     further headers of text and manifest that it may include: "mapping|report"
#   LIBRARIES  headers of libraries that it may include
set(allowed_std
    algorithm array bit bitset charconv cmath compare cstddef cstdint cstring functional initializer_list iterator limits map
    memory new numeric optional set span string string_view system_error tuple type_traits unordered_map utility
    variant vector)
set(allowed_base
    archive checksum error encode format_text function_ref go_math json_memory json_split json_writer limits never_destroyed pattern/pattern quantity result sample saturate stable_order status text time)

file(GLOB_RECURSE files ${MODULE}/*.hpp ${MODULE}/*.cpp)
list(LENGTH files count)
if(count LESS 5)
    message(FATAL_ERROR "found only ${count} files in ${MODULE}")
endif()
set(bad "")
foreach(file IN LISTS files)
    file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include")
    foreach(line IN LISTS lines)
        if(line MATCHES "<([^>]+)>")
            list(FIND allowed_std "${CMAKE_MATCH_1}" at)
            list(FIND LIBRARIES "${CMAKE_MATCH_1}" library)
            if(NOT library EQUAL -1)
                set(at 0)
            endif()
        elseif(line MATCHES "\"base/([a-z_/]+)\\.hpp\"")
            list(FIND allowed_base "${CMAKE_MATCH_1}" at)
        elseif(line MATCHES "\"decide/[a-z_/]+\\.hpp\"" OR line MATCHES "\"(text|manifest)/(scaling|document|versions|names)\\.hpp\"")
            set(at 0)
        elseif(CONFIG AND line MATCHES "\"(text|manifest)/(${CONFIG})\\.hpp\"")
            set(at 0)
        elseif(ALSO AND line MATCHES "\"${ALSO}/[a-z_/]+\\.hpp\"")
            set(at 0)
        else()
            set(at -1)
        endif()
        if(at EQUAL -1)
            string(APPEND bad "\n  ${file}: ${line}")
        endif()
    endforeach()
endforeach()
if(bad)
    message(FATAL_ERROR "This module is pure; these includes are not on its list:${bad}")
endif()
