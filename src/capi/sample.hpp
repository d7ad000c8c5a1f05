// gputide_sample ↔ base/sample.hpp.  is_right() and read_sample() stand here because each sample of each tick passes through them.
#pragma once

#include "base/result.hpp"
#include "base/sample.hpp"
#include "capi/arguments.hpp"
#include "gputide/gputide.h"

#include <cmath>
#include <cstdint>

namespace gputide::capi {

// What is right costs a few comparisons; the sentence about what is wrong stands apart, as the rest of a tick is as short.
inline bool is_right(const gputide_sample& given) noexcept {
    const bool known = given.state >= GPUTIDE_SAMPLE_NOT_GIVEN && given.state <= GPUTIDE_SAMPLE_FAILED &&
                       (given.flags & ~std::uint32_t{GPUTIDE_SAMPLE_NULL_AS_ZERO}) == 0;
    return known && (given.state != GPUTIDE_SAMPLE_OK || std::isfinite(given.value)) && !is_in_seconds(given.time_ms);
}

// Why it is not, and what to say instead.
[[gnu::cold]] error wrong_sample(const gputide_sample& given);

// Only what is_right().
inline void read_sample(const gputide_sample& given, sample& out) noexcept {
    out.state = static_cast<sample_state>(given.state);
    out.status = static_cast<status>(given.status);
    out.value = given.state == GPUTIDE_SAMPLE_OK ? given.value : 0.0;
    out.time_ms = given.time_ms;
    out.null_as_zero = (given.flags & GPUTIDE_SAMPLE_NULL_AS_ZERO) != 0;
}

result<sample> from_c(const gputide_sample& given);
gputide_sample to_c(const sample& value);

}  // namespace gputide::capi
