// What became of a decision's write.  Scale events, the last active time of an activation and ScaledToZero follow what was
// applied, not what was wished.
#include "decide/conditions.hpp"
#include "decide/decide.hpp"
#include "decide/events.hpp"
#include "decide/executor.hpp"
#include "decide/rules_view.hpp"
#include "decide/saturate.hpp"
#include "decide/zero.hpp"

namespace gputide::decide {

namespace {

// True once: for a decision that wanted a write and of which nothing was told yet.
bool settle(decision& made) noexcept {
    const bool first = !made.settled && made.desired_replicas != made.current_replicas;
    made.settled = true;
    return first;
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

void record_applied(const policy& by, state& with, decision& made, std::int64_t now_ms) {
    if (!settle(made)) return;
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
    if (!settle(made)) return;
    now_ms = sane_time(now_ms);
    if (made.origin == origin::executor) {
        made.event = failed_event(made.event);
    } else {
        set_condition(with.conditions, condition_type::able_to_scale, truth::no, reason::failed_update_scale, now_ms);
    }
    made.conditions = with.conditions;
}

}  // namespace gputide::decide
