// Helpers that the checkers of vpa-recommend share: layouts, times and how answers are compared.
#pragma once

#include "frame/check.hpp"
#include "rightsize/estimate.hpp"
#include "rightsize/histogram.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

namespace conformance {

// "memory", "cpu", "gpu_util" or an object; nothing where it has no buckets.
std::optional<gputide::rightsize::layout> layout_of(const json& options);

inline std::int64_t ms_of(const json& seconds) { return std::llround(seconds.get<double>() * 1000.0); }
inline std::int64_t ms_of(const json& object, const char* name, std::int64_t otherwise_s) {
    return ms_of(object.value(name, json(otherwise_s)));
}

// With the case's own tolerance; of an expected object, the members that it names.
differences vpa_compared(const json& object, const json& got);

}  // namespace conformance

// Whether a running pod is worth replacing for a recommendation, and before which others: the updater's rules, which the library
// never applies, as it recommends and replaces no pods.  They stand here for the cases' sake.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/updater/priority/priority_processor.go, update_priority_calculator.go.

namespace conformance::vpa_updater {

using gputide::rightsize::amount;
using gputide::rightsize::update_mode;

// One resource, summed over a pod's containers, in thousandths of its unit: 1 core is 1000, a byte is 1000.
struct requested_resource {
    std::optional<amount> request_milli;
    amount target_milli = 0;
    std::optional<amount> lower_milli;
    std::optional<amount> upper_milli;
};

struct update_priority {
    bool outside = false;  // of the recommended range, or without a request
    bool grows = false;    // such pods go before those that shrink
    double difference = 0.0;
};

// difference: the sum of |request - target| / request, where a request counts as 1 at least (also the one that is compared
// with the target, as upstream does it).  request 2000, target 10000 → 4.
update_priority priority_of(std::span<const requested_resource> resources);

struct running_pod {
    std::optional<std::int64_t> start_ms;
    bool quick_oom = false;  // a container was killed for memory within 10 minutes of its start
};

struct update_rules {
    std::int64_t settled_ms = 43'200'000;  // a pod that lives this long may go for the difference alone
    double min_difference = 0.1;
};

enum class update_verdict : std::uint8_t { yes, mode, no_start_time, short_lived, small_difference, no_change };
const char* update_verdict_name(update_verdict verdict) noexcept;  // "yes", "mode", "short_lived", …

// quick_oom at a difference of 0 is `no_change`: it would be killed again.
update_verdict should_update(update_mode mode, const update_priority& update_priority, const running_pod& pod,
                             std::int64_t now_ms, const update_rules& rules = {});

}  // namespace conformance::vpa_updater
