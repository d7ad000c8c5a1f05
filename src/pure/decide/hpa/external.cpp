// External and Object metrics to replicas.  The double expressions are written as upstream computes them and must not be
// rearranged: ceil(ratio * n) and ceil(value * n / target) differ in the last bit.
#include "decide/hpa/external.hpp"

#include "decide/saturate.hpp"

namespace gputide::decide {

namespace {

// Per pod, rounded up: 20166 / 4 → 5042.  No pods: 0.  A sum at the top of int64 stays there.
std::int64_t usage_per_pod(std::int64_t usage_milli, std::int32_t pods) noexcept {
    if (static_cast<double>(usage_milli) >= 9223372036854775808.0) return std::numeric_limits<std::int64_t>::max();
    if (pods == 0) return 0;
    return ceil_int64(static_cast<double>(usage_milli) / static_cast<double>(pods));
}

}  // namespace

proposal value_replicas(std::int64_t usage_milli, std::int64_t target_milli, std::int32_t spec_replicas,
                        const ready_pods& ready, const tolerance& band) noexcept {
    proposal out;
    out.usage_milli = usage_milli;
    out.ratio = static_cast<double>(usage_milli) / static_cast<double>(target_milli);
    if (spec_replicas == 0) {
        out.replicas = ceil_replicas(out.ratio);
        return out;
    }
    out.within_tolerance = within(band, out.ratio);
    if (out.within_tolerance) {
        out.replicas = spec_replicas;
    } else if (!ready.any_listed) {
        out.failure = metric_failure::no_pods;
    } else {
        out.replicas = ceil_replicas(out.ratio * static_cast<double>(ready.count));
    }
    return out;
}

proposal average_replicas(std::int64_t usage_milli, std::int64_t target_milli, std::int32_t status_replicas,
                          const tolerance& band) noexcept {
    const auto usage = static_cast<double>(usage_milli);
    const auto target = static_cast<double>(target_milli);
    proposal out;
    out.usage_milli = usage_per_pod(usage_milli, status_replicas);
    out.ratio = usage / (target * static_cast<double>(status_replicas));
    out.within_tolerance = within(band, out.ratio);
    out.replicas = out.within_tolerance ? status_replicas : ceil_replicas(usage / target);
    return out;
}

}  // namespace gputide::decide
