// Step `series`: how many series the query gives, which labels they have and, where there are none, what is missing.  Pure.
#pragma once

#include "base/sample.hpp"
#include "config/scaling.hpp"
#include "doctor/selection.hpp"
#include "doctor/step.hpp"
#include "source/source.hpp"

#include <string>
#include <vector>

namespace gputide::doctor {

struct series {
    source::inquiry inquiry = source::inquiry::opaque;
    std::string query;                   // its query or metric
    std::vector<source::labels> answer;  // of the query itself
    gputide::sample sample;              // what the trigger makes of it
    std::string said;                    // the source's own words where there is no value
    config::target_type type = config::target_type::average_value;
    std::vector<selection> selections;  // of the query; empty: the source has none that could be looked behind
};

step judge_series(const series& seen);

}  // namespace gputide::doctor
