// A metav1.LabelSelector: for the API server's queries, and as the HPA's texts show it.
#pragma once

#include "text/mapping.hpp"

#include <string>

namespace gputide::manifest {

using namespace text;

struct label_selector {
    std::string query;          // sorted by key: "app=web,!canary,tier in (a,b)"; "": every object
    std::string shown = "nil";  // Go's form; "nil": there is no selector
};

// Reads {matchLabels, matchExpressions}.
label_selector read_label_selector(const cursor& block, report& findings);

// The selector of one label.
label_selector label_selector_of(const std::string& key, const std::string& value);

}  // namespace gputide::manifest
