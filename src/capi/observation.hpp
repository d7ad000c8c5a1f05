// gputide_observation and its arrays → decide/observation.hpp, and whether they fit a policy.  Reads what the host lent for the
// call; copies no text.
#pragma once

#include "base/result.hpp"
#include "base/sample.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/scratch.hpp"
#include "gputide/gputide.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gputide::capi {

// An observation with the memory that its spans look at.  Not movable once filled: the spans would dangle.
struct seen_input {
    // Written out, since a constant one would be copied with all of its room for samples.
    seen_input() noexcept {}  // NOLINT(modernize-use-equals-default): as above
    seen_input(const seen_input&) = delete;
    seen_input& operator=(const seen_input&) = delete;

    // Why the metric has no number, in the host's words; "" where it said none.
    std::string_view message_of(std::int32_t metric) const;

    decide::observation observation;
    std::vector<std::string_view> messages;             // of the samples; empty where none has one
    std::optional<decide::scratch<sample, 8>> samples;  // so that the usual tick allocates nothing
    std::vector<decide::pod> pods;
    std::vector<decide::pod_sample> pod_samples;
};

// What stands in the structs alone; whether it fits a policy is check_counts' business.
result<void> read_observation(const gputide_observation* seen, seen_input& out);

// As many samples as the policy has metrics, and no pod sample of a metric beyond them.  none_is_fine: whoever gives no sample
// at all has them fetched.
result<void> check_counts(const decide::policy& policy, const decide::observation& seen, bool none_is_fine);

}  // namespace gputide::capi
