// A whole body as series with their labels, for whoever wants to see everything.  Pure.
#pragma once

#include "formats/exposition/page.hpp"
#include "formats/reading.hpp"

#include <string_view>

namespace gputide::formats::exposition {

// One line as a series with one point; the name as label __name__, first.  The time is 0 where the line has none.
series series_of(const line& line);

// All samples in the body's order, a series that comes twice also twice; result_type "exposition".  More than
// limits::series are status::limit.
result<reading> read_all(std::string_view body, format as);

}  // namespace gputide::formats::exposition
