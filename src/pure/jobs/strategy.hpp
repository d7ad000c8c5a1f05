// The scaling strategies: how many of the requested jobs may start now.  kedacore/keda
// pkg/scaling/executor/scale_jobs.go.  Pure.
#pragma once

#include "config/scaled_job.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::jobs {

// Parses customScalingRunningJobPercentage, a fraction in spite of its name: Go's ParseFloat, and outside the strict
// profile a finite number.  "0.5" → 0.5; "50%", "", " 0.5", "1e400" → nothing.
std::optional<double> running_fraction(std::string_view text, config::profile profile);

struct strategy_input {
    std::int64_t max_scale = 0;
    std::int64_t running = 0;  // unfinished jobs above the minimum
    std::int64_t pending = 0;
    std::int64_t headroom = 0;
    std::int64_t scale_to = 0;
};

struct strategy_answer {
    std::string_view used;       // default, custom, accurate, eager
    std::int64_t effective = 0;  // may be below 0
    std::int64_t scale_to = 0;
};

// m max_scale, r running, p pending, H headroom:
//   default   m − r
//   custom    min(m − deduction − trunc(r × fraction), H); without a readable fraction it is default
//   accurate  m + r − p > H ? H − r : m − p
//   eager     min(H − r − p, m), and one poll may create H
// Worked: accurate, m 20, r 15, p 10, H 20 → 5; eager, m 15, r 0, p 0, H 10 → 10.
strategy_answer answer_of(const config::scaling_strategy& strategy, const strategy_input& input,
                          config::profile profile);

}  // namespace gputide::jobs
