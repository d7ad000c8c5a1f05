// Reading → sample, by the rules of a prometheus trigger (kedacore/keda pkg/scalers/prometheus_scaler.go,
// ExecutePromQuery).  Pure.
//
//   default  KEDA's table, but an answer that is no instant vector of floats (a range, a native histogram, a string) is an
//            error instead of an empty result; a scalar counts as its value
//   strict   as KEDA, over what parse_as_keda() makes of the body
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/prometheus/settings.hpp"
#include "source/source.hpp"

namespace gputide::source::prometheus {

fetched judge(const result<numbers>& numbers, const query_settings& settings);

// The value with the time of its oldest sample (`age`, Unix seconds), or stale if that is too old or not known.
// A value made of nothing (null_as_zero) has no age and stays as it is.
fetched aged(fetched value, const result<numbers>& age, std::int64_t now_ms, std::int64_t max_age_ms);

// The body as Go's decoder reads it into KEDA's struct: `status` and `resultType` are decoded and never compared, null is
// anything's zero value, only value[1] of a single element is looked at.  A null there is -1, as in KEDA; what makes KEDA
// panic (a number or a bool) is an error.  One series without points stands for an element without a value.
result<reading> parse_as_keda(const http::answer& answer, std::string_view query);

}  // namespace gputide::source::prometheus
