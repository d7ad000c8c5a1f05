// Splits a text about a cluster into its objects, each with its path and line.  JSON lists are split before they are
// parsed, so that a damaged item does not affect the others and a list of any length needs the memory of one item.
// YAML is read as a whole.
#pragma once

#include "config/mapping.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gputide::nodes {

inline constexpr std::size_t most_text_bytes = std::size_t{256} << 20;

// One item of a list ("pods[3]", "items[7]"), or the rest of the object without its lists ("").
struct text_item {
    std::string_view member;  // name of the list that holds the item; "": the object itself
    config::cursor at;
};

// Calls `take` for every item, in the order of the text, and then for the rest of the object.  An object without lists,
// and each document of a YAML text, is one call.
void read_items(const std::string& file, std::string_view text, config::report& findings,
                const std::function<void(const text_item&)>& take);

}  // namespace gputide::nodes
