// The past of one metric by range queries, in pieces that a server answers.  decide/forecast/history.hpp decides which past a
// forecast needs and what it makes of it.
#pragma once

#include "decide/forecast/history.hpp"
#include "source/poll.hpp"

#include <memory>
#include <span>
#include <vector>

namespace gputide::runtime {

struct past_read {
    decide::history_span over;
    std::vector<sample> samples;       // one per step, as far as pieces arrived
    std::shared_ptr<const error> why;  // of the first piece that did not arrive; null: all arrived
};

// Returns the ranges to query, side by side.
std::vector<source::time_range> pieces_of(const decide::history_span& over);

// Joins the outcomes of those queries, one per piece.
past_read past_of(const source::metric& metric, const decide::history_span& over, std::span<source::polled> outcomes);

}  // namespace gputide::runtime
