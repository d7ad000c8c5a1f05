// A metav1.LabelSelector, in the form of API queries and in the form of the HPA's texts.
#pragma once

#include "text/mapping.hpp"

#include <string>

namespace gputide::manifest {

using namespace text;

struct label_selector {
    std::string query;          // sorted by key: "app=web,!canary,tier in (a,b)"; "": every object
    std::string shown = "nil";  // Go's form; "nil": no selector
};

// Reads {matchLabels, matchExpressions}.
label_selector read_label_selector(const cursor& block, report& findings);

// Returns a selector of one label.
label_selector label_selector_of(const std::string& key, const std::string& value);

}  // namespace gputide::manifest
