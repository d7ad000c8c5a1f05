// Implements the rules of rules.hpp, in the same order.
#include "decide/rules.hpp"

#include "base/saturate.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/readings.hpp"
#include "decide/saturate.hpp"

#include <algorithm>
#include <limits>

namespace gputide::decide {

namespace {

bool is_no_data(sample_state state) noexcept {
    return state == sample_state::empty || state == sample_state::not_a_number || state == sample_state::stale;
}

sample without_value(const sample& read, sample_state state) noexcept {
    sample out = read;
    out.state = state;
    out.status = status::no_data;
    out.value = 0.0;
    out.null_as_zero = false;
    return out;
}

sample zero_instead(const sample& read) noexcept {
    sample out = read;
    out.state = sample_state::ok;
    out.status = status::ok;
    out.value = 0.0;
    return out;
}

bool too_old(const manifest::metric_rules& rules, const sample& read, std::int64_t now_ms) noexcept {
    return rules.max_age_ms > 0 && read.time_ms > 0 && subtract_saturating(now_ms, read.time_ms) > rules.max_age_ms;
}

}  // namespace

ruled_sample apply_sample_rules(const manifest::metric_rules& rules, const sample& read, std::int64_t now_ms) noexcept {
    using manifest::no_data_rule;
    ruled_sample out{read, no_data_action::none};
    if (read.state == sample_state::ok && read.null_as_zero && rules.no_data != no_data_rule::as_original) {
        out.value = without_value(read, sample_state::empty);
    } else if (read.state == sample_state::ok && too_old(rules, read, now_ms)) {
        out.value = without_value(read, sample_state::stale);
    }
    if (!is_no_data(out.value.state)) return out;
    switch (rules.no_data) {
        case no_data_rule::as_original:
            break;
        case no_data_rule::hold:
            out.action = no_data_action::hold;
            break;
        case no_data_rule::fallback:
            out.action = no_data_action::fallback;
            break;
        case no_data_rule::zero:
            out.value = zero_instead(out.value);
            break;
        case no_data_rule::error:
            out.action = no_data_action::error;
            break;
    }
    return out;
}

confirmation confirm(const policy& policy, state& state, std::int32_t current, std::int32_t raw) {
    confirmation out;
    out.replicas = raw;
    const std::int32_t k = policy.scaling.extra.confirm_k;
    const auto n = static_cast<std::size_t>(std::max(policy.scaling.extra.confirm_n, k));
    if (!needs_confirmation(policy)) return out;

    const std::int32_t direction = (raw > current) - (raw < current);
    std::vector<std::int32_t>& last = state.confirmations;
    while (last.size() >= n) last.erase(last.begin());
    last.push_back(direction);
    out.agreeing = static_cast<std::int32_t>(std::count(last.begin(), last.end(), direction));
    out.held = direction != 0 && out.agreeing < k;
    if (out.held) out.replicas = current;
    return out;
}

std::int32_t whole_groups_up(const manifest::extra_rules& rules, std::int32_t replicas) noexcept {
    const std::int64_t group = rules.group_size;
    if (group <= 1 || replicas <= 0) return replicas;
    return to_int32((replicas + group - 1) / group * group);
}

std::int32_t move_by_groups(const manifest::extra_rules& rules, std::int32_t current, std::int32_t allowed,
                            const replica_bounds& within) noexcept {
    if (rules.group_size <= 1 || allowed == current) return allowed;
    if (allowed > current) {
        const std::int32_t cut = allowed - allowed % rules.group_size;
        return std::max({cut, current, std::min(within.min, allowed)});
    }
    return std::min({whole_groups_up(rules, allowed), current, std::max(within.max, allowed)});
}

namespace {

bool is_mean_over_replicas(const metric_policy& metric) noexcept {
    return !is_one_number(metric.kind) || metric.type == manifest::target_type::value;
}

}  // namespace

void guard_in_flight(const policy& policy, const observation& observation, const metric_policy& metric,
                     proposal& proposal) noexcept {
    if (!policy.scaling.extra.in_flight_guard || proposal.failure != metric_failure::none) return;
    if (proposal.held || proposal.from_fallback || !is_mean_over_replicas(metric)) return;
    const std::int32_t ready = ready_replicas(observation);
    const std::int32_t capacity = std::max(observation.spec_replicas, status_replicas(observation));
    if (ready <= 0 || ready >= capacity || !(proposal.ratio > 1.0)) return;
    const double served = proposal.ratio * static_cast<double>(ready) / static_cast<double>(capacity);
    const bool enough = served <= tolerance_of(metric, tolerance_of(policy)).high;
    const std::int32_t guarded =
        enough ? observation.spec_replicas : std::max(proposal.replicas, observation.spec_replicas);
    proposal.guarded = guarded != proposal.replicas;
    proposal.replicas = guarded;
}

std::int32_t affordable_replicas(const manifest::extra_rules& rules) noexcept {
    std::int32_t max = std::numeric_limits<std::int32_t>::max();
    const std::int64_t gpus_milli = rules.gpus_per_replica_milli;
    if (gpus_milli <= 0) return max;
    if (rules.max_gpus_milli > 0) max = std::min(max, to_int32(rules.max_gpus_milli / gpus_milli));
    if (rules.max_cost_per_hour > 0 && rules.cost_per_gpu_hour > 0) {
        const double cost_per_replica = rules.cost_per_gpu_hour * static_cast<double>(gpus_milli) / 1000.0;
        const double replicas = rules.max_cost_per_hour / cost_per_replica;
        max = std::min(max, to_int32(replicas + replicas * 1e-12));  // 0.3 / 0.1 is 2.9999999999999996, must be 3
    }
    return max;
}

}  // namespace gputide::decide
