// gputide_sample ↔ base/sample.hpp; gputide_observation and its arrays → decide/observation.hpp, with the check that they fit
// a policy.  Reads memory that the host lends for the call; copies no text.
#pragma once

#include "base/result.hpp"
#include "base/sample.hpp"
#include "capi/entry.hpp"
#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/readings.hpp"
#include "gputide/gputide.h"
#include "gputide/source.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace gputide::capi {

// Tells whether a sample is valid.  Inline, because each sample of each tick passes through it.
inline bool is_right(const gputide_sample& given) noexcept {
    const bool known = given.state >= GPUTIDE_SAMPLE_NOT_GIVEN && given.state <= GPUTIDE_SAMPLE_FAILED &&
                       (given.flags & ~std::uint32_t{GPUTIDE_SAMPLE_NULL_AS_ZERO}) == 0;
    return known && (given.state != GPUTIDE_SAMPLE_OK || std::isfinite(given.value)) && !is_in_seconds(given.time_ms);
}

// Returns the error of a sample that is not valid.
[[gnu::cold]] error wrong_sample(const gputide_sample& given);

// Converts a valid sample.
inline sample read_sample(const gputide_sample& given) noexcept {
    return {.state = static_cast<sample_state>(given.state),
            .status = static_cast<status>(given.status),
            .value = given.state == GPUTIDE_SAMPLE_OK ? given.value : 0.0,
            .time_ms = given.time_ms,
            .null_as_zero = (given.flags & GPUTIDE_SAMPLE_NULL_AS_ZERO) != 0};
}

result<sample> from_c(const gputide_sample& given);
gputide_sample to_c(const sample& value);

// The lists that most observations do not have.
struct observed_lists {
    std::vector<std::string_view> messages;  // of the samples; empty if no sample has a message
    std::vector<decide::pod> pods;
    std::vector<decide::pod_sample> pod_samples;
};

// An observation with the memory of its spans.  Must not be moved after it was filled.
struct observation_input {
    observation_input() = default;
    observation_input(const observation_input&) = delete;
    observation_input& operator=(const observation_input&) = delete;

    // Returns the host's reasons for missing values, one per sample; empty if none was given.
    std::span<const std::string_view> messages() const;
    std::string_view message_of(std::int32_t metric) const;

    decide::observation observation;
    decide::scratch<sample> samples;  // inline storage, so that the usual tick allocates nothing
    std::unique_ptr<observed_lists> lists;
};

// Reads and checks the structs; check_counts() compares them with the policy.
result<void> read_observation(const gputide_observation* seen, observation_input& out);

// Checks that the number of samples is the policy's number of metrics, and that pod samples name existing metrics.
// none_is_fine: no samples are accepted, because they are fetched.
result<void> check_unusual_counts(const decide::policy& policy, const decide::observation& seen, bool none_is_fine);
// Does the same; inline for the usual case, a sample for each metric and no pods.
inline result<void> check_counts(const decide::policy& policy, const decide::observation& seen, bool none_is_fine) {
    if (seen.samples.size() == policy.metrics.size() && seen.pod_samples.empty()) return {};
    return check_unusual_counts(policy, seen, none_is_fine);
}

// gputide_decision ↔ decide/decision.hpp.  A host gets a decision from each tick and passes it back after it has written the
// size.

// Writes the members that fit in the caller's struct.
void write_decision(const decide::decision& decision, gputide_decision* out);

// A decision that the host passes back.
struct returned_decision {
    decide::decision decision;
    std::string_view message;  // of a failed write; the host's memory
};
result<returned_decision> read_decision(const gputide_decision* returned);

}  // namespace gputide::capi
