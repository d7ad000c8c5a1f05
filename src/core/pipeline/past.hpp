// A metric's past: what a source's answer says of it, and the samples that a scaler would have read at each step.  Pure; the
// answer was fetched before.
#pragma once

#include "base/result.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gputide::pipeline {

// One sample per step, its time_ms the step's: the trigger's own rules (reducer, NaN) make it of the series that have a point
// there.  state empty: none had.  An answer of which no number can be made (several series, native histograms) is an error.
result<std::vector<sample>> past_samples(const source::metric& metric, const source::reading& reading,
                                         const source::time_range& over);

// The points of a saved answer of Prometheus' query_range, which holds one series.
result<std::vector<source::point>> saved_range(std::string_view answer);

// Samples of the scaler for no value and for a NaN: KEDA's ignoreNullValues makes 0 of both.  `metric` may be null.
struct null_samples {
    sample empty;
    sample not_a_number;
};
null_samples null_samples_of(const source::metric* metric);

}  // namespace gputide::pipeline
