// What became of a decision's write.  Scale events, the last active time of an activation and ScaledToZero follow what was
// applied, not what was wished.
#include "decide/decide.hpp"
#include "decide/hpa/behavior_view.hpp"
#include "decide/hpa/events.hpp"
#include "decide/hpa/zero.hpp"
#include "decide/keda/executor.hpp"
#include "decide/saturate.hpp"
#include "decide/state/conditions.hpp"
#include "decide/state/decision_id.hpp"

namespace gputide::decide {

namespace {

// The lower half of an id is the decision's number in its state; above it stand 21 bits of a sum over what a record goes by.
constexpr std::uint64_t number_mask = 0xFFFF'FFFFU;
constexpr std::uint64_t sum_mask = 0x1F'FFFFU;

std::uint32_t number_of(const decision& made) noexcept { return static_cast<std::uint32_t>(made.id & number_mask); }

// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): every bit of the input moves every bit of the sum.
std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

enum class record_fault : std::int32_t { none = 0, foreign = 1, repeated = 2 };

record_fault judge(const state& with, const decision& made) noexcept {
    const std::uint32_t number = number_of(made);
    if (number == 0 || number > with.decisions || made.id != id_of(made, number)) return record_fault::foreign;
    return number <= with.recorded ? record_fault::repeated : record_fault::none;
}

// True once: for a decision that wanted a write and of which nothing was told yet.
bool settle(state& with, const decision& made) noexcept {
    if (judge(with, made) != record_fault::none) return false;
    with.recorded = number_of(made);
    return made.desired_replicas != made.current_replicas;
}

// Stored with behaviour only; also where the size was forced into its bounds.
void store_rescale(const policy& by, state& with, const decision& made, std::int64_t now_ms) {
    const behavior_view rules = behavior_of(by);
    if (!rules.present) return;
    const std::int64_t change = std::int64_t{made.desired_replicas} - made.current_replicas;
    if (change > 0) {
        store_event(with.ups, rules.up, to_int32(change), now_ms);
    } else {
        store_event(with.downs, rules.down, to_int32(-change), now_ms);
    }
}

event failed_event(event of) noexcept {
    switch (of) {
        case event::activated:
            return event::activation_failed;
        case event::deactivated:
            return event::deactivation_failed;
        default:
            return of;
    }
}

}  // namespace

std::uint64_t id_of(const decision& made, std::uint32_t number) noexcept {
    const std::uint64_t sizes = (std::uint64_t{static_cast<std::uint32_t>(made.current_replicas)} << 32U) |
                                static_cast<std::uint32_t>(made.desired_replicas);
    return ((mixed(mixed(number) ^ sizes) & sum_mask) << 32U) | number;
}

result<void> check_record(const state& with, const decision& made) {
    switch (judge(with, made)) {
        case record_fault::none:
            break;
        case record_fault::foreign:
            return fail(status::state,
                        "this state did not make the decision, or it was changed since; record what was "
                        "decided, on the state that decided it");
        case record_fault::repeated:
            return fail(status::state, "the decision, or a later one of this state, was recorded already");
    }
    return {};
}

void record_applied(const policy& by, state& with, decision& made, std::int64_t now_ms) {
    if (!settle(with, made)) return;
    now_ms = sane_time(now_ms);
    if (made.origin == origin::executor) {
        if (made.event == event::activated) with.last_active_ms = whole_seconds_ms(now_ms);
    } else {
        set_condition(with.conditions, condition_type::able_to_scale, truth::yes, reason::succeeded_rescale, now_ms);
        store_rescale(by, with, made, now_ms);
        note_zero(by, with, made.current_replicas, made.desired_replicas, by.scaling.hpa_min(), now_ms);
    }
    made.conditions = with.conditions;
}

void record_failed(const policy&, state& with, decision& made, std::int64_t now_ms) {
    if (!settle(with, made)) return;
    now_ms = sane_time(now_ms);
    if (made.origin == origin::executor) {
        made.event = failed_event(made.event);
    } else {
        set_condition(with.conditions, condition_type::able_to_scale, truth::no, reason::failed_update_scale, now_ms);
    }
    made.conditions = with.conditions;
}

}  // namespace gputide::decide
