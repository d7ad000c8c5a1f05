// Reads a whole body into series with labels, for callers that need all samples.  Pure.
#pragma once

#include "formats/exposition/page.hpp"
#include "formats/reading.hpp"

#include <string_view>

namespace gputide::formats::exposition {

// Returns one line as a series with one point; the name is its first label, __name__. The time is 0 if the line has none.
series series_of(const line& line);

// Returns all samples in the body's order, repeated series included, with result_type "exposition".  Fails with status::limit
// for more than limits::series.
result<reading> read_all(std::string_view body, format as);

}  // namespace gputide::formats::exposition
