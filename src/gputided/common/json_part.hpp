// Parts of JSON that the library writes, found without reading the rest: a report has some kB, and of most of them one sentence
// is wanted.  The text must be as the library writes it: JSON with blanks inside texts alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gputided {

// The value of an object's own member, as it is written; "": there is no such member.
std::string_view json_member(std::string_view object, std::string_view name);

// An array's elements, as they are written.
std::vector<std::string_view> json_elements(std::string_view array);

// "a\n" → a and a line's end.  Of what is no text: "".
std::string json_text(std::string_view value);

}  // namespace gputided
