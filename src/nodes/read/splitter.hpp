// Finds the items of the lists that a JSON object holds, without parsing them: quotes and brackets are all it looks at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::nodes {

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

// Members whose lists hold objects of a cluster; other lists belong to their whole.
bool holds_items(std::string_view member);

// `text` starts with '{', blanks apart.  Lists of items are taken apart; any other member stays in the rest.
// Its first line is line `first_line` of the whole.
split_text split_lists(std::string_view text, std::int32_t first_line = 1);

}  // namespace gputide::nodes
