#include "runtime/member.hpp"

#include <algorithm>

namespace gputide::runtime {

namespace {

struct periods {
    std::int64_t hpa_ms = 0, executor_ms = 0;
};

periods periods_of(const config::scaling& scaling) {
    const std::int64_t hpa_ms = scaling.extra.sync_period_ms;
    const bool is_hpa = scaling.kind == config::manifest_kind::horizontal_pod_autoscaler;
    return {hpa_ms, is_hpa ? hpa_ms : std::int64_t{scaling.polling_interval_s} * 1'000};
}

}  // namespace

std::int64_t member::period_ms() const {
    const periods both = periods_of(of.policy().scaling);
    return std::min(both.hpa_ms, both.executor_ms);
}

std::int64_t member::longest_period_ms() const {
    const periods both = periods_of(of.policy().scaling);
    return std::max(both.hpa_ms, both.executor_ms);
}

bool member::needs_asking() const {
    const std::span<const sample> given = seen.given();
    for (std::size_t i = 0; i < of.sources().size(); ++i) {
        const bool brought = i < given.size() && given[i].state != sample_state::not_given;
        if (of.sources()[i] != nullptr && !brought) return true;
    }
    return false;
}

// A write that is wanted is told until it is done; else what differs from the decision before.
bool worth_telling(const decide::decision& before, const decide::decision& made) {
    if (made.desired_replicas != made.current_replicas || made.event != decide::event::none) return true;
    if (before.now_ms == 0) return true;
    const bool same = before.desired_replicas == made.desired_replicas && before.active == made.active &&
                      before.error == made.error && before.limited_by == made.limited_by;
    const auto alike = [](const decide::condition& a, const decide::condition& b) {
        return a.truth == b.truth && a.reason == b.reason;
    };
    return !same || !std::equal(before.conditions.begin(), before.conditions.end(), made.conditions.begin(), alike);
}

}  // namespace gputide::runtime
