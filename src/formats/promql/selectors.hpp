// How old is what a query reads?  An instant vector carries the time of evaluation, not that of its samples: a series
// whose last sample is almost five minutes old looks new (prometheus lookback).  So a trigger with a maximum age asks a
// second query, made here from the metric selectors of the first.  Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gputide::formats::promql {

// The metric selectors of a PromQL expression, in order, each once: `avg(a{x="1"}) / sum by (pod) (rate(b[5m]))` →
// {a{x="1"}, b}.  Ranges, offsets and @ are left out: the newest sample of the series is what tells whether it lives.
std::vector<std::string> selectors_of(std::string_view query);

// A query for the time of the oldest newest sample, in Unix seconds; "" where the query names no metric.
// up → min(timestamp(up))
std::string age_query_of(std::string_view query);

}  // namespace gputide::formats::promql
