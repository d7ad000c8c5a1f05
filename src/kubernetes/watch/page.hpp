// A page of a list, split into its items before any of them is parsed.  Pure.
#pragma once

#include "base/result.hpp"
#include "kubernetes/watch/item.hpp"
#include "kubernetes/watch/paging.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::kubernetes {

struct page {
    bool is_first = false;          // of its list
    bool is_metadata_only = false;  // its item is an object that did not fit
    std::string resource_version;
    std::string token;  // metadata.continue; "": the last page
    std::vector<std::string_view> items;
};

// The items are views of `body`.  Errors: class not_json for a text that is cut or not a JSON object, class shape for one without
// metadata or items.
result<page> read_page(const std::string& body, const paging& asked);

// Calls `use` for each object of a page and its body, and `left_out` for each that cannot be read.
void read_items(const page& page, const std::string& body, const std::function<void(simdjson::dom::object)>& use,
                const std::function<void(const unreadable_object&)>& left_out);

}  // namespace gputide::kubernetes
