// Flat structs of gputide.h to the values of decide/ and back.
#pragma once

#include "base/result.hpp"
#include "base/sample.hpp"
#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "gputide/gputide.h"

#include <array>
#include <vector>

namespace gputide::capi {

gputide_sample to_c(const sample& from);
result<sample> from_c(const gputide_sample& from);

gputide_decision to_c(const decide::decision& from);
decide::decision from_c(const gputide_decision& from);

// An observation with the memory that its spans look at.  Not movable once filled: the spans would dangle.
struct seen_input {
    seen_input() = default;
    seen_input(const seen_input&) = delete;
    seen_input& operator=(const seen_input&) = delete;

    decide::observation observation;
    std::array<sample, 8> few_samples;  // so that the usual tick allocates nothing
    std::vector<sample> many_samples;
    std::vector<decide::pod> pods;
    std::vector<decide::pod_sample> pod_samples;
};

result<void> read_observation(const gputide_observation* seen, seen_input& out);

}  // namespace gputide::capi
