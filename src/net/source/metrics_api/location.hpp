// Where a number stands in an answer: dots between members and elements of JSON or YAML, as gjson writes its plain paths
// (tidwall/gjson SYNTAX.md), or a series of a metrics page.  Pure.
#pragma once

#include "base/result.hpp"
#include "config/document.hpp"
#include "formats/exposition/selector.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::metrics_api {

struct step {
    std::string name;       // of a member, or the index of an element; without escapes, unless it is a pattern
    bool pattern = false;   // has * or ?, and takes the first member that fits
    bool elements = false;  // "#": how many elements a list has
};

// "components.worker.0.tasks", "a\.b" (a dot in a name), "*.tasks", "jobs.#".  gjson's queries, modifiers, pipes and multipaths
// are refused by name.
result<std::vector<step>> parse_path(std::string_view text);

// Null: there is nothing at that place.
const config::node* find(const config::node& node, const std::vector<step>& path);

// A number, or a text that is a number or a Kubernetes quantity ("1500m" → 1.5); nothing elsewhere.
std::optional<double> number_in(const config::node& node);

// `name` or `name{label="value",…}`.
result<formats::exposition::selector> parse_series(std::string_view text);

}  // namespace gputide::source::metrics_api
