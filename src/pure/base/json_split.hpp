// Finds the items of the lists in a JSON object, and single members, without parsing: scans only quotes and brackets.  A
// damaged item therefore does not affect the others.  Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide {

struct text_part {
    std::string_view member;  // name of the list that contains the item
    std::size_t index = 0;
    std::string_view text;
    std::int32_t line = 0;  // from 1
    std::int32_t column = 0;
    bool cut = false;  // the text ends inside the item
};

struct split_text {
    std::vector<text_part> items;  // of the lists in the outermost object
    std::string rest;              // the text with those lists emptied; closed if the text was cut
    bool cut = false;
    std::int32_t first_line = 1;
    std::size_t behind = 0;      // position behind the object
    std::int32_t last_line = 1;  // its last line
};

// Splits the object that follows leading blanks in `text`.  Lists for which holds_items is true are split into items; any
// other member stays in the rest. `first_line` is the number of the first line of `text` in the file.
split_text split_lists(std::string_view text, bool (*holds_items)(std::string_view member),
                       std::int32_t first_line = 1);

// Returns the text of a member's value in the object that `text` starts with: up to the end of the text if the value is cut,
// "" if the object has no such member.  Text after the member is not checked.
std::string_view member_text(std::string_view text, std::string_view name);

// Returns a member's value if it is a string without escapes, such as a name; "" for any other value.
std::string_view plain_member(std::string_view text, std::string_view name);

}  // namespace gputide
