// One tick: which halves are due, executor first, and when the next one is (design: one tick).
#include "decide/decide.hpp"

#include "decide/halves.hpp"
#include "decide/readings.hpp"
#include "decide/saturate.hpp"
#include "decide/state/conditions.hpp"
#include "decide/state/decision_id.hpp"
#include "decide/trace/record.hpp"
#include "decide/trace/trace.hpp"

#include <algorithm>
#include <limits>

namespace gputide::decide {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

struct period {
    bool exists = false;
    std::int64_t length_ms = 0;
    std::int64_t last_ms = absent;
};

period executor_period(const policy& by, const state& with) noexcept {
    return {by.scaling.kind == config::manifest_kind::scaled_object, std::int64_t{by.scaling.polling_interval_s} * 1000,
            with.last_executor_ms};
}

// A paused object has no HPA: KEDA deletes it.
period hpa_period(const policy& by, const state& with) noexcept {
    return {!by.scaling.pause.paused, by.scaling.extra.sync_period_ms, with.last_hpa_ms};
}

// A clock that was set back makes both due: waiting for the old time could take for ever.
bool is_due(const period& of, std::int64_t now_ms) noexcept {
    if (!of.exists) return false;
    return of.last_ms == absent || of.length_ms <= 0 || now_ms < of.last_ms || now_ms - of.last_ms >= of.length_ms;
}

std::int64_t due_ms(const period& of, std::int64_t now_ms) noexcept {
    if (!of.exists) return never;
    return of.last_ms == absent ? now_ms : add_saturating(of.last_ms, std::max<std::int64_t>(of.length_ms, 0));
}

// A creation is always earlier than the first sight of the object: without a time from the caller by the least there is, so
// that initialCooldownPeriod 0 lets an idle workload go to 0 at the first poll, as KEDA does.
void prepare(const policy& by, state& with, std::int64_t now_ms) {
    if (with.created_ms == absent) with.created_ms = sane_time(by.scaling.created_ms.value_or(now_ms - 1));
    if (with.health.size() != by.metrics.size()) with.health.resize(by.metrics.size());
}

// Pausing deletes the HPA, and with it all that the HPA remembers; what comes back later sees the size for the first time.
void forget_hpa(state& with) noexcept {
    with.seen = false;
    with.last_hpa_ms = absent;
    with.recommendations.clear();
    with.ups.clear();
    with.downs.clear();
    with.confirmations.clear();
    remove_condition(with.conditions, condition_type::able_to_scale);
    remove_condition(with.conditions, condition_type::scaling_active);
    remove_condition(with.conditions, condition_type::scaling_limited);
}

// conditions is set here as well as at the end: copying it costs less than the zeros it would start with.
decision unchanged(const observation& seen, const state& with) noexcept {
    return {.now_ms = seen.now_ms,
            .current_replicas = seen.spec_replicas,
            .desired_replicas = seen.spec_replicas,
            .proposed_replicas = seen.spec_replicas,
            .limited_by = limit::not_due,
            .origin = origin::hpa,
            .conditions = with.conditions};
}

bool was_active(const policy& by, const state& with) noexcept {
    const bool keda = by.scaling.kind == config::manifest_kind::scaled_object;
    const auto type = keda ? condition_type::active : condition_type::scaling_active;
    return condition_of(with.conditions, type).truth == truth::yes;
}

// Where the HPA half moves nothing, what the executor waits for is the better answer.
void run_hpa(const policy& by, state& with, const observation& seen, readings& from, decision& out, trace* why) {
    const limit executors = out.executor_ran ? out.limited_by : limit::none;
    out.limited_by = executors;
    run_hpa_half(by, with, seen, from, out, why);
    if (executors != limit::none && out.desired_replicas == out.current_replicas) out.limited_by = executors;
}

}  // namespace

decision decide(const policy& by, state& with, const observation& seen, trace* why) {
    if (seen.now_ms != sane_time(seen.now_ms)) {
        observation sane = seen;
        sane.now_ms = sane_time(seen.now_ms);
        return decide(by, with, sane, why);
    }
    prepare(by, with, seen.now_ms);
    if (why != nullptr) record_inputs(*why, seen);
    decision out = unchanged(seen, with);
    const bool hpa_due = is_due(hpa_period(by, with), seen.now_ms);
    readings from(by.metrics.size());
    bool written = false;
    if (is_due(executor_period(by, with), seen.now_ms)) {
        if (by.scaling.pause.paused) forget_hpa(with);
        written = run_executor_half(by, with, seen, from, out, why);
        with.last_executor_ms = seen.now_ms;
    }
    if (hpa_due && !written) run_hpa(by, with, seen, from, out, why);
    if (hpa_due) with.last_hpa_ms = seen.now_ms;  // also where the executor's write took its place

    out.active = was_active(by, with);
    out.next_due_ms =
        std::min(due_ms(executor_period(by, with), seen.now_ms), due_ms(hpa_period(by, with), seen.now_ms));
    out.conditions = with.conditions;
    out.id = id_of(out, ++with.decisions);
    return out;
}

}  // namespace gputide::decide
