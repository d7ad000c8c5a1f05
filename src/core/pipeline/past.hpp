// A metric's past: converts a source's range response to the samples that a scaler would have read at each step.  Pure; the
// response was fetched before.
#pragma once

#include "base/result.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gputide::pipeline {

// Returns one sample per step, with the step's time in time_ms: the trigger's own rules (reducer, NaN) applied to the series that
// have a point there. state empty: no series has one.  A response that cannot be reduced to one value (several series, native
// histograms) is an error.
result<std::vector<sample>> past_samples(const source::metric& metric, const source::reading& reading,
                                         const source::time_range& over);

// Returns the points of a saved response of Prometheus' query_range, which must contain one series.
result<std::vector<source::point>> saved_range(std::string_view answer);

// The scaler's samples for a missing value and for NaN: KEDA's ignoreNullValues makes both 0.  `metric` may be null.
struct null_samples {
    sample empty;
    sample not_a_number;
};
null_samples null_samples_of(const source::metric* metric);

}  // namespace gputide::pipeline
