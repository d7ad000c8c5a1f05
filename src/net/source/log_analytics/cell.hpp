// One cell of a table by the type of its column.  Pure.
#pragma once

#include "base/result.hpp"

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

namespace gputide::source::log_analytics {

// int, long and real; decimal (a text of digits) but for the strict profile.
bool is_numeric(std::string_view type, bool strict);

// Nothing for null.  Below 0, not finite, or no number at all: class bad_value.
result<std::optional<double>> numeric_cell(simdjson::dom::element cell, std::string_view type);

// As a label's value: texts as they are, everything else as JSON.
std::string text_of_cell(simdjson::dom::element cell);

}  // namespace gputide::source::log_analytics
