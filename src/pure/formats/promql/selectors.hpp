// Determines the age of a query's data.  An instant vector carries the evaluation time, not that of its samples: a
// series with a last sample almost five minutes ago looks new (Prometheus lookback).  So a trigger with a maximum age
// sends a second query, built here from the metric selectors of the first.  Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gputide::formats::promql {

// Returns the metric selectors of a PromQL expression, in order, without repetition: `avg(a{x="1"}) / sum by (pod)
// (rate(b[5m]))` → {a{x="1"}, b}.  Ranges, offsets and @ are removed: the newest sample of the series shows whether it
// is alive.
std::vector<std::string> selectors_of(std::string_view query);

// Returns a query for the oldest of the newest samples' times, in Unix seconds; "" if the query names no metric.
// up → min(timestamp(up))
std::string age_query_of(std::string_view query);

}  // namespace gputide::formats::promql
