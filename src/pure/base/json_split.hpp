// Finds the items of the lists in a JSON object, and single members, without parsing: it scans quotes and brackets
// only.  A damaged item therefore does not affect the others.  Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide {

struct text_part {
    std::string_view member;  // name of the list that holds it
    std::size_t index = 0;
    std::string_view text;
    std::int32_t line = 0;  // from 1
    std::int32_t column = 0;
    bool cut = false;  // the text ends inside the item
};

struct split_text {
    std::vector<text_part> items;  // of the lists in the outermost object
    std::string rest;              // the text with those lists emptied, closed if it was cut
    bool cut = false;
    std::int32_t first_line = 1;
    std::size_t behind = 0;  // position behind the object
};

// Splits the object that `text` starts with, after blanks.  Lists for which holds_items is true are split into items;
// any other member stays in the rest.  The first line of the text is line `first_line` of the file.
split_text split_lists(std::string_view text, bool (*holds_items)(std::string_view member),
                       std::int32_t first_line = 1);

// Returns the text of a member's value in the object that `text` starts with; up to the end if it is cut, "" if there
// is no such member.  Text behind the member is not checked.
std::string_view member_text(std::string_view text, std::string_view name);

// Returns a member's value if it is a string without escapes, such as a name; "" for any other value.
std::string_view plain_member(std::string_view text, std::string_view name);

}  // namespace gputide
