// A page of a list, split into its items before any of them is parsed.  Pure.
#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gputide::cluster {

struct page {
    std::string resource_version;
    std::string token;  // metadata.continue; "": the last page
    std::vector<std::string_view> items;
};

// The items are views of `body`.  Errors: class not_json for a text that is cut or not a JSON object, class shape for one without
// metadata.
result<page> read_page(const std::string& body);

}  // namespace gputide::cluster
