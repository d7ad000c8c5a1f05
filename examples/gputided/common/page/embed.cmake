# Writes a text file as a C++ string: cmake -DFROM=status.html -DTO=status_html.hpp -DNAME=status_html -P embed.cmake
file(READ ${FROM} text)
if(text MATCHES "\\)page\"")
    message(FATAL_ERROR "${FROM}: holds the end mark of the string that it becomes")
endif()
file(WRITE ${TO} "// Made from ${FROM}.\n#pragma once\n\n#include <string_view>\n\nnamespace gputided {\n\n"
    "inline constexpr std::string_view ${NAME} = R\"page(")
file(APPEND ${TO} "${text}")
file(APPEND ${TO} ")page\";\n\n}  // namespace gputided\n")
