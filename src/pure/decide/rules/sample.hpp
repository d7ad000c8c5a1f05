// Beyond the originals, each off unless asked for: how old a sample may be, and what its absence means.
// In: a sample as it was read.  Out: the sample to decide with.
#pragma once

#include "base/sample.hpp"
#include "decide/policy.hpp"

#include <cstdint>

namespace gputide::decide {

enum class no_data_action : std::int32_t {
    none = 0,      // decide with the sample as it is
    hold = 1,      // this metric asks for the current size and keeps a running target active
    fallback = 2,  // the fallback answers at once, without waiting for its failure threshold
    error = 3,     // a failed read, also where ignoreNullValues would have made a 0 of it
};

struct ruled_sample {
    sample value;
    no_data_action action = no_data_action::none;
};

// gputide.io/max-sample-age: now - sample time above it makes the sample stale; a sample of unknown time has no age.
// gputide.io/no-data (hold, fallback, zero, error): for a query that worked and gave no usable value (empty, NaN or infinite,
// stale); a 0 that ignoreNullValues made counts as no value.  A read that failed (auth, timeout, ...) is an error as before.
// Worked: max age 60 s, sample 61 s old, no-data hold → stale, hold.
ruled_sample apply_sample_rules(const config::metric_rules& rules, const sample& read, std::int64_t now_ms) noexcept;

}  // namespace gputide::decide
