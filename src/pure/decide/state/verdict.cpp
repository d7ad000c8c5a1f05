// Keeping and showing a verdict; see verdict.hpp.
#include "decide/state/verdict.hpp"

namespace gputide::decide {

verdict verdict_of(const decision& decision) noexcept {
    return {.time_ms = decision.now_ms,
            .proposed_replicas = decision.proposed_replicas,
            .limited_by = decision.limited_by,
            .winner = decision.winner,
            .failed_metric = decision.failed_metric,
            .failed_count = decision.failed_count,
            .metric_count = decision.metric_count,
            .failure = decision.failure,
            .failed_state = decision.failed_state};
}

void show_verdict(const verdict& last, std::int64_t now_ms, decision& decision) noexcept {
    const bool exists = last.time_ms != absent;
    if (decision.executor_ran && decision.limited_by == limit::none) {
        decision.limited_by = exists ? last.limited_by : limit::not_due;
    }
    if (!exists) return;
    decision.proposed_replicas = last.proposed_replicas;
    decision.winner = last.winner;
    decision.failed_metric = last.failed_metric;
    decision.failed_count = last.failed_count;
    decision.metric_count = last.metric_count;
    decision.failure = last.failure;
    decision.failed_state = last.failed_state;
    decision.verdict_age_ms = now_ms - last.time_ms;
}

}  // namespace gputide::decide
