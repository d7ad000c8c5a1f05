#include "runtime/fleet/hosted_scaler.hpp"

#include <algorithm>

namespace gputide::runtime {

namespace {

struct periods {
    std::int64_t hpa_ms = 0, executor_ms = 0;
};

periods periods_of(const decide::policy& policy) {
    const config::scaling& scaling = policy.scaling;
    const std::int64_t hpa_ms = scaling.extra.sync_period_ms;
    const bool is_hpa = scaling.kind == config::manifest_kind::horizontal_pod_autoscaler;
    return {hpa_ms, is_hpa ? hpa_ms : std::int64_t{scaling.polling_interval_s} * 1'000};
}

}  // namespace

std::int64_t hosted_scaler::period_ms() const {
    const periods both = periods_of(scaler.policy());
    return scaler.policy().takes_hpa_reads ? both.hpa_ms : std::min(both.hpa_ms, both.executor_ms);
}

std::int64_t hosted_scaler::longest_period_ms() const {
    const periods both = periods_of(scaler.policy());
    return std::max(both.hpa_ms, both.executor_ms);
}

bool hosted_scaler::has_source() const {
    for (std::size_t metric = 0; metric < scaler.sources().size(); ++metric) {
        if (scaler.asks(metric)) return true;
    }
    return false;
}

// The lower half of a decision's id is its number in its state (decide/state/decision_id.hpp).
bool hosted_scaler::may_record(const decide::decision& decision) const {
    return unrecorded.has(decision) || static_cast<std::uint32_t>(decision.id) <= loaded_decisions;
}

// A write that is wanted is told until it is done; else what differs from the decision before.
bool is_news(const decide::decision& before, const decide::decision& decision) {
    if (decision.desired_replicas != decision.current_replicas || decision.event != decide::event::none) return true;
    if (before.now_ms == 0) return true;
    const bool same = before.desired_replicas == decision.desired_replicas && before.active == decision.active &&
                      before.error == decision.error && before.limited_by == decision.limited_by;
    const auto alike = [](const decide::condition& a, const decide::condition& b) {
        return a.truth == b.truth && a.reason == b.reason;
    };
    return !same || !std::equal(before.conditions.begin(), before.conditions.end(), decision.conditions.begin(), alike);
}

}  // namespace gputide::runtime
