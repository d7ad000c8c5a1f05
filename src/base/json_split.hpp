// Finds the items of the lists that a JSON object holds, and single members, without parsing: quotes and brackets are all that
// it looks at.  So one item that is damaged leaves the others whole.  Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide {

struct text_part {
    std::string_view member;  // of the object whose list it stands in
    std::size_t index = 0;
    std::string_view text;
    std::int32_t line = 0;  // from 1
    std::int32_t column = 0;
    bool cut = false;  // the text ends before it does
};

struct split_text {
    std::vector<text_part> items;  // of the outermost object's lists of items
    std::string rest;              // the text with those lists empty, closed where it was cut
    bool cut = false;
    std::int32_t first_line = 1;
    std::size_t behind = 0;  // where the text goes on behind the object
};

// Splits the object that `text` starts with, blanks apart.  Lists of members for which holds_items is true are taken apart; any
// other member stays in the rest.  The first line of the text is line `first_line` of the whole.
split_text split_lists(std::string_view text, bool (*holds_items)(std::string_view member),
                       std::int32_t first_line = 1);

// Returns the text of a member's value in the object that `text` starts with: to the end of the text where it is cut, "" where
// there is no such member.  Looks at nothing behind it.
std::string_view member_text(std::string_view text, std::string_view name);

// Returns what a member's value says that is a text without escapes, as a name is; "" for any other.
std::string_view plain_member(std::string_view text, std::string_view name);

}  // namespace gputide
