// The past of one metric by range queries, in pieces that a server answers.  What of it a forecast wants, and what it makes of it,
// is decide/forecast/history.hpp's.
#pragma once

#include "decide/forecast/history.hpp"
#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gputide::runtime {

struct past_read {
    decide::history_span over;
    std::vector<sample> samples;       // one per step, as far as pieces came
    std::shared_ptr<const error> why;  // of the first piece that did not; null: all came
};

// Asks for all pieces side by side; each ends by deadline_ms (steady clock).  `done` runs on the loop, never inside this call; the
// source, whose traits say that it keeps its past, is kept alive until then.
std::shared_ptr<http::exchange> read_past(http::loop& loop, const std::shared_ptr<source::metric_source>& source,
                                          const decide::history_span& over, std::int64_t deadline_ms,
                                          std::function<void(past_read)> done);

}  // namespace gputide::runtime
