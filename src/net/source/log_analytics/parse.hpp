// Bytes of a query answer → the numbers of its first column, or the reason why there are none.  Pure.
// {"tables":[{"columns":[{"name","type"}],"rows":[[..]]}],"error"?}
//
// A row is a series: its first cell the value, its first datetime the time, every further cell a label under its column's
// name; a cell that holds a JSON object as text (InsightsMetrics' Tags) gives its members as labels instead.
//   no table, column or row; a null          no_data     (an average over no rows is null, not 0)
//   more than one table                      ambiguous; more than one row as well, without gputide.io/reduce
//   a column of another type                 bad_type
//   below 0, NaN, infinite                   bad_value
//   error.code beside tables, status 200     the reading is partial, with the error as its warning; strict: not looked at
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/log_analytics/settings.hpp"
#include "source/source.hpp"

namespace gputide::source::log_analytics {

result<reading> parse(const http::answer& answer, const settings& settings);

// Reading → one sample.
fetched judge(const reading& reading, const settings& settings);

// The service gave up on a query as too heavy: it would cost the same again.
bool is_too_heavy(const http::answer& answer);

}  // namespace gputide::source::log_analytics
