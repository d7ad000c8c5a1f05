# Writes a text file as a C++ string: cmake -DFROM=run/page/status.html -DTO=status_html.hpp -DNAME=status_html -P embed.cmake
# @FILE:name@ in it stands for the file of that name beside it.
file(READ ${FROM} text)
get_filename_component(folder ${FROM} DIRECTORY)
string(REGEX MATCHALL "@FILE:[a-z_.]+@" marks "${text}")
foreach(mark ${marks})
    string(REGEX REPLACE "@FILE:(.*)@" "\\1" name ${mark})
    file(READ ${folder}/${name} part)
    string(REPLACE ${mark} "${part}" text "${text}")
endforeach()
if(text MATCHES "\\)page\"")
    message(FATAL_ERROR "${FROM}: holds the end mark of the string that it becomes")
endif()
file(WRITE ${TO} "// Made from ${FROM}.\n#pragma once\n\n#include <string_view>\n\nnamespace gputided {\n\n"
    "inline constexpr std::string_view ${NAME} = R\"page(")
file(APPEND ${TO} "${text}")
file(APPEND ${TO} ")page\";\n\n}  // namespace gputided\n")
