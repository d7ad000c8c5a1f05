// Records the result of a decision's write.  Scale events, the last active time of an activation and ScaledToZero follow
// applied writes, not wanted ones.
#include "decide/decide.hpp"
#include "decide/decision.hpp"
#include "decide/hpa/behavior.hpp"
#include "decide/keda/executor.hpp"
#include "decide/saturate.hpp"
#include "decide/state/state.hpp"
#include "decide/trace/texts.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gputide::decide {

namespace {

// An id has the decision's number in its lower half, and above it 21 bits of a checksum over the members that a record
// depends on.
constexpr std::uint64_t number_mask = 0xFFFF'FFFFU;
constexpr std::uint64_t sum_mask = 0x1F'FFFFU;

std::uint32_t number_of(const decision& decision) noexcept {
    return static_cast<std::uint32_t>(decision.id & number_mask);
}

// Finalizer of SplitMix64 (Steele, Lea, Flood 2014): every input bit affects every bit of the sum.
std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

enum class record_fault : std::int32_t { none = 0, foreign = 1, repeated = 2 };

record_fault judge(const state& state, const decision& decision) noexcept {
    const std::uint32_t number = number_of(decision);
    const bool is_own = number > 0 && number <= state.decisions && decision.id == id_of(state, decision, number);
    if (!is_own) return record_fault::foreign;
    return number <= state.recorded ? record_fault::repeated : record_fault::none;
}

// Returns true once per decision: if it wanted a write and has not been recorded yet.
bool settle(state& state, const decision& decision) noexcept {
    if (judge(state, decision) != record_fault::none) return false;
    state.recorded = number_of(decision);
    return decision.desired_replicas != decision.current_replicas;
}

}  // namespace

event event_of_write(event wanted, bool is_applied) noexcept {
    if (is_applied) return wanted;
    switch (wanted) {
        case event::activated:
            return event::activation_failed;
        case event::deactivated:
            return event::deactivation_failed;
        default:
            return wanted;
    }
}

std::uint64_t id_of(const state& state, const decision& decision, std::uint32_t number) noexcept {
    const std::uint64_t seed = number > state.original_decisions ? state.id_seed : state.original_seed;
    const std::uint64_t sizes = (std::uint64_t{static_cast<std::uint32_t>(decision.current_replicas)} << 32U) |
                                static_cast<std::uint32_t>(decision.desired_replicas);
    return ((mixed(mixed(seed << 32U | number) ^ sizes) & sum_mask) << 32U) | number;
}

void reseed_ids(state& state, std::uint32_t id_seed) noexcept {
    if (state.decisions > state.original_decisions) {
        state.original_seed = state.id_seed;
        state.original_decisions = state.decisions;
    }
    state.id_seed = id_seed;
}

result<void> check_record(const state& state, const decision& decision) {
    switch (judge(state, decision)) {
        case record_fault::none:
            break;
        case record_fault::foreign:
            return fail(status::state,
                        "this state did not make the decision, or the decision was changed since; record the "
                        "unchanged decision on the state that made it");
        case record_fault::repeated:
            return fail(status::state, "the decision, or a later one of this state, was recorded already");
    }
    return {};
}

void record_applied(const policy& policy, state& state, decision& decision, std::int64_t now_ms) {
    if (!settle(state, decision)) return;
    now_ms = sane_time(now_ms);
    state.newest_ms = std::max(state.newest_ms, now_ms);
    if (decision.origin == origin::executor) {
        if (decision.event == event::activated) state.last_active_ms = whole_seconds_ms(now_ms);
    } else {
        set_condition(state.conditions, condition_type::able_to_scale, truth::yes, reason::succeeded_rescale, now_ms);
        store_rescale(policy, state, decision.current_replicas, decision.desired_replicas, now_ms);
        note_zero(policy, state, decision.current_replicas, decision.desired_replicas, policy.scaling.hpa_min(),
                  now_ms);
    }
    decision.conditions = state.conditions;
}

void record_failed(const policy& policy, state& state, decision& decision, std::int64_t now_ms, std::string_view why) {
    std::string kept(why);  // copied before anything changes, because the allocation may fail
    if (!settle(state, decision)) return;
    state.scale_error = std::move(kept);
    now_ms = sane_time(now_ms);
    state.newest_ms = std::max(state.newest_ms, now_ms);
    if (decision.origin == origin::executor) {
        decision.event = event_of_write(decision.event, false);
        if (manifest::holds(manifest::version_rule::refused_write_is_error, policy.scaling.controller.versions) &&
            !policy.scaling.pause.paused) {
            set_condition(state.conditions, condition_type::ready, truth::no, reason::error_scaling_target, now_ms);
            state.scale_error = refused_write_text(decision, why);  // a later decision has another event
        }
    } else {
        set_condition(state.conditions, condition_type::able_to_scale, truth::no, reason::failed_update_scale, now_ms);
    }
    decision.conditions = state.conditions;
}

}  // namespace gputide::decide
