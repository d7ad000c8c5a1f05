// A text about a cluster → its objects, one by one, each with its path and line.  JSON lists are taken apart before they are
// parsed, so that one damaged item leaves the others whole and a list of any length needs the memory of one item; what is
// YAML is read whole.
#pragma once

#include "config/mapping.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gputide::nodes {

inline constexpr std::size_t most_text_bytes = std::size_t{256} << 20;

// One item of a list ("pods[3]", "items[7]"), or what is left of the whole once its lists are empty ("").
struct text_item {
    std::string_view member;  // of the whole that it is an item of; "": the whole itself
    config::cursor at;
};

// Calls `take` for every item, in the order of the text, and then for the whole.  A whole without lists, and each
// document of a YAML text, is one call.
void read_items(const std::string& file, std::string_view text, config::report& findings,
                const std::function<void(const text_item&)>& take);

}  // namespace gputide::nodes
