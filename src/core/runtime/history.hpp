// Reads the past of one metric by range queries, in pieces of a size that servers accept. decide/forecast/history.hpp decides
// which past a forecast needs, and evaluates it.
#pragma once

#include "decide/forecast/history.hpp"
#include "source/poll.hpp"

#include <memory>
#include <span>
#include <vector>

namespace gputide::runtime {

struct past_read {
    decide::history_span over;
    std::vector<sample> samples;       // one per step, for the pieces that arrived
    std::shared_ptr<const error> why;  // of the first piece that failed; null: all arrived
};

// Returns the ranges to query in parallel.
std::vector<source::time_range> pieces_of(const decide::history_span& over);

// Joins the results of those queries, one per piece.
past_read past_of(const source::metric& metric, const decide::history_span& over, std::span<source::polled> outcomes);

}  // namespace gputide::runtime
