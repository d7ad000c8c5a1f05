// Determines the age of a query's data.  An instant vector has the evaluation time, not the time of its samples: because of
// Prometheus' lookback, a series with a last sample of almost five minutes ago looks current.  A trigger with a maximum age
// therefore sends a second query, built here from the metric selectors of the first.  Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gputide::formats::promql {

// Returns the metric selectors of a PromQL expression, in order, without repetition: `avg(a{x="1"}) / sum by (pod)
// (rate(b[5m]))` → {a{x="1"}, b}.  Ranges, offsets and @ are removed: the newest sample shows whether the series is alive.
std::vector<std::string> selectors_of(std::string_view query);

// Returns a query for the time of the newest sample of each series, and of these the oldest, in Unix seconds; "" if the query
// names no metric.  Example: up → min(timestamp(up)).
std::string age_query_of(std::string_view query);

}  // namespace gputide::formats::promql
