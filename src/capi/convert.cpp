#include "capi/convert.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "capi/arguments.hpp"
#include "capi/same.hpp"
#include "capi/structs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace gputide::capi {
namespace {

static_assert(same(GPUTIDE_SAMPLE_NOT_GIVEN, sample_state::not_given) && same(GPUTIDE_SAMPLE_OK, sample_state::ok));
static_assert(same(GPUTIDE_SAMPLE_EMPTY, sample_state::empty) && same(GPUTIDE_SAMPLE_STALE, sample_state::stale));
static_assert(same(GPUTIDE_SAMPLE_NOT_A_NUMBER, sample_state::not_a_number));
static_assert(same(GPUTIDE_SAMPLE_PARTIAL, sample_state::partial));
static_assert(same(GPUTIDE_SAMPLE_AMBIGUOUS, sample_state::ambiguous) && same(GPUTIDE_SAMPLE_AUTH, sample_state::auth));
static_assert(same(GPUTIDE_SAMPLE_TIMEOUT, sample_state::timeout) && same(GPUTIDE_SAMPLE_FAILED, sample_state::failed));
static_assert(same(GPUTIDE_LIMIT_NONE, decide::limit::none) && same(GPUTIDE_LIMIT_COOLDOWN, decide::limit::cooldown));
static_assert(same(GPUTIDE_LIMIT_BUDGET, decide::limit::budget) &&
              same(GPUTIDE_LIMIT_FORECAST, decide::limit::forecast));
static_assert(same(GPUTIDE_FROM_HPA, decide::origin::hpa) && same(GPUTIDE_FROM_EXECUTOR, decide::origin::executor));
static_assert(same(GPUTIDE_ACTIVATED, decide::event::activated));
static_assert(same(GPUTIDE_DEACTIVATION_FAILED, decide::event::deactivation_failed));
static_assert(same(GPUTIDE_CONDITION_PAUSED, decide::condition_type::paused));
static_assert(decide::condition_count <= GPUTIDE_CONDITION_ROOM);
static_assert(same(GPUTIDE_ABSENT, decide::truth::absent) && same(GPUTIDE_UNKNOWN, decide::truth::unknown));
static_assert(same(GPUTIDE_REASON_FAILED_GET_SCALE, decide::reason::failed_get_scale));
static_assert(same(GPUTIDE_REASON_INVALID_METRIC_SOURCE_TYPE, decide::reason::invalid_metric_source_type));
static_assert(same(GPUTIDE_REASON_NOT_SCALED_TO_ZERO, decide::reason::not_scaled_to_zero));
static_assert(same(GPUTIDE_REASON_SCALED_OBJECT_PAUSED, decide::reason::scaled_object_paused));
static_assert(same(GPUTIDE_POD_RUNNING, decide::pod_phase::running));
static_assert(same(GPUTIDE_POD_UNKNOWN, decide::pod_phase::unknown));
static_assert(same(GPUTIDE_READY_YES, decide::readiness::yes));
static_assert(same(GPUTIDE_READY_NO_CONDITION, decide::readiness::no_condition));
static_assert(GPUTIDE_NO_VALUE == decide::absent);

// fill() copies conditions as they lie.
static_assert(sizeof(gputide_condition) == sizeof(decide::condition));
static_assert(offsetof(gputide_condition, truth) == offsetof(decide::condition, truth));
static_assert(offsetof(gputide_condition, reason) == offsetof(decide::condition, reason));
static_assert(offsetof(gputide_condition, since_ms) == offsetof(decide::condition, since_ms));

constexpr std::uint32_t observation_flags = GPUTIDE_SEEN_STATUS | GPUTIDE_SEEN_READY | GPUTIDE_SCALE_UNREADABLE;
constexpr std::uint32_t decision_flags =
    GPUTIDE_DECIDED_ACTIVE | GPUTIDE_DECIDED_ERROR | GPUTIDE_DECIDED_EXECUTOR | GPUTIDE_DECIDED_HPA;

std::uint32_t flag(bool set, std::uint32_t bit) { return set ? bit : 0; }

std::int64_t or_absent(std::int64_t time_ms) { return time_ms == 0 ? decide::absent : time_ms; }

result<void> wrong(const char* name, std::uint32_t index, const std::string& problem) {
    return fail(status::invalid, format_text("{}[{}]{}", name, index, problem));
}

// What is right costs a few comparisons; the sentence about what is wrong stands apart, as the rest of a tick is as short.
bool is_right(const gputide_sample& given) noexcept {
    const bool known = given.state >= GPUTIDE_SAMPLE_NOT_GIVEN && given.state <= GPUTIDE_SAMPLE_FAILED &&
                       (given.flags & ~std::uint32_t{GPUTIDE_SAMPLE_NULL_AS_ZERO}) == 0;
    return known && (given.state != GPUTIDE_SAMPLE_OK || std::isfinite(given.value));
}

[[gnu::cold]] error wrong_sample(const gputide_sample& given) {
    if (given.state < GPUTIDE_SAMPLE_NOT_GIVEN || given.state > GPUTIDE_SAMPLE_FAILED) {
        return fail(status::invalid, format_text("state is {}; expected a GPUTIDE_SAMPLE_* number", given.state));
    }
    if (result<void> ok = check_flags(given.flags, GPUTIDE_SAMPLE_NULL_AS_ZERO, "flags"); !ok) {
        return std::move(ok).failure();
    }
    return fail(status::invalid, "value is not finite; say GPUTIDE_SAMPLE_NOT_A_NUMBER as its state");
}

[[gnu::cold]] error wrong_sample(const gputide_sample& given, std::uint32_t index) {
    error why = wrong_sample(given);
    why.message = format_text("observation.samples[{}]: {}", index, why.message);
    return why;
}

void take(const gputide_sample& given, sample& out) noexcept {
    out.state = static_cast<sample_state>(given.state);
    out.status = static_cast<status>(given.status);
    out.value = given.state == GPUTIDE_SAMPLE_OK ? given.value : 0.0;
    out.time_ms = given.time_ms;
    out.null_as_zero = (given.flags & GPUTIDE_SAMPLE_NULL_AS_ZERO) != 0;
}

result<void> read_samples(const gputide_observation& seen, seen_input& out) {
    if (seen.sample_count > limits::triggers) return fail(status::limit, "observation.sample_count is too large");
    const std::span<sample> room = out.samples.emplace(seen.sample_count).all();
    out.observation.samples = room;
    return for_each(seen.samples, seen.sample_size, seen.sample_count, "observation.samples",
                    [&](const gputide_sample& one, std::uint32_t index) -> result<void> {
                        if (!is_right(one)) return wrong_sample(one, index);
                        take(one, room[index]);
                        if (one.message == nullptr) return {};
                        out.messages.resize(seen.sample_count);
                        out.messages[index] = one.message;
                        return {};
                    });
}

result<void> read_pods(const gputide_observation& seen, seen_input& out) {
    return for_each(seen.pods, seen.pod_size, seen.pod_count, "observation.pods",
                    [&](const gputide_pod& one, std::uint32_t index) -> result<void> {
                        if (one.phase < GPUTIDE_POD_RUNNING || one.phase > GPUTIDE_POD_UNKNOWN) {
                            return wrong("observation.pods", index,
                                         format_text(".phase is {}; expected a GPUTIDE_POD_* number", one.phase));
                        }
                        if (one.ready < GPUTIDE_READY_YES || one.ready > GPUTIDE_READY_NO_CONDITION) {
                            return wrong("observation.pods", index,
                                         format_text(".ready is {}; expected a GPUTIDE_READY_* number", one.ready));
                        }
                        decide::pod pod;
                        pod.name = one.name != nullptr ? one.name : "";
                        pod.phase = static_cast<decide::pod_phase>(one.phase);
                        pod.deleting = one.deleting != 0;
                        pod.readiness = static_cast<decide::readiness>(one.ready);
                        pod.start_time_ms = or_absent(one.start_time_ms);
                        pod.ready_change_time_ms =
                            one.ready_change_time_ms != 0 ? one.ready_change_time_ms : pod.start_time_ms;
                        out.pods.push_back(pod);
                        return {};
                    });
}

result<void> read_pod_samples(const gputide_observation& seen, seen_input& out) {
    return for_each(seen.pod_samples, seen.pod_sample_size, seen.pod_sample_count, "observation.pod_samples",
                    [&](const gputide_pod_sample& one, std::uint32_t index) -> result<void> {
                        if (one.pod < 0 || one.pod > static_cast<std::int64_t>(seen.pod_count)) {
                            return wrong(
                                "observation.pod_samples", index,
                                format_text(".pod is {}, of {} pods; they count from 1", one.pod, seen.pod_count));
                        }
                        if (one.metric < 0) {
                            return wrong("observation.pod_samples", index, format_text(".metric is {}", one.metric));
                        }
                        decide::pod_sample value;
                        value.metric = one.metric;
                        value.pod = one.pod - 1;
                        value.value_milli = one.value_milli;
                        value.request_milli = or_absent(one.request_milli);
                        value.time_ms = or_absent(one.time_ms);
                        value.window_s = one.window_s != 0 ? one.window_s : 60;
                        out.pod_samples.push_back(value);
                        return {};
                    });
}

bool is_right(const gputide_observation& seen) noexcept {
    return (seen.flags & ~observation_flags) == 0 && is_time(seen.now_ms) && seen.current_replicas >= 0 &&
           seen.status_replicas >= 0 && seen.ready_replicas >= 0;
}

[[gnu::cold]] error wrong_observation(const gputide_observation& seen) {
    if (result<void> ok = check_flags(seen.flags, observation_flags, "observation.flags"); !ok) {
        return std::move(ok).failure();
    }
    if (result<void> ok = check_time(seen.now_ms, "observation.now_ms"); !ok) return std::move(ok).failure();
    const auto [name, replicas] = seen.current_replicas < 0  ? std::pair("current_replicas", seen.current_replicas)
                                  : seen.status_replicas < 0 ? std::pair("status_replicas", seen.status_replicas)
                                                             : std::pair("ready_replicas", seen.ready_replicas);
    return fail(status::invalid, format_text("observation.{} is {}; expected 0 or more", name, replicas));
}

// -1: nobody said.
std::int32_t said(std::int32_t replicas, bool present) noexcept { return replicas == 0 && !present ? -1 : replicas; }

bool is_read_from_pods(const decide::metric_policy& metric) {
    return metric.kind == decide::metric_kind::pods || metric.kind == decide::metric_kind::resource ||
           metric.kind == decide::metric_kind::container_resource;
}

// Nobody would look at a sample.
bool needs_no_sample(const decide::policy& policy, const decide::observation& seen) {
    return !seen.scale_readable || std::all_of(policy.metrics.begin(), policy.metrics.end(), is_read_from_pods);
}

}  // namespace

std::string_view seen_input::message_of(std::int32_t metric) const {
    const auto index = static_cast<std::size_t>(metric);  // a negative number becomes a large one
    return index < messages.size() ? messages[index] : std::string_view();
}

gputide_sample to_c(const sample& value) {
    gputide_sample out{};
    out.state = static_cast<gputide_sample_state>(value.state);
    out.status = static_cast<gputide_status>(value.status);
    out.flags = flag(value.null_as_zero, GPUTIDE_SAMPLE_NULL_AS_ZERO);
    out.value = value.value;
    out.time_ms = value.time_ms;
    return out;
}

result<sample> from_c(const gputide_sample& given) {
    if (!is_right(given)) return wrong_sample(given);
    sample out;
    take(given, out);
    return out;
}

namespace {

void fill(const decide::decision& decision, gputide_decision& out) {
    out.flags = flag(decision.active, GPUTIDE_DECIDED_ACTIVE) | flag(decision.error, GPUTIDE_DECIDED_ERROR) |
                flag(decision.executor_ran, GPUTIDE_DECIDED_EXECUTOR) | flag(decision.hpa_ran, GPUTIDE_DECIDED_HPA);
    out.id = decision.id;
    out.now_ms = decision.now_ms;
    out.next_due_ms = decision.next_due_ms;
    out.current_replicas = decision.current_replicas;
    out.desired_replicas = decision.desired_replicas;
    out.proposed_replicas = decision.proposed_replicas;
    out.limited_by = static_cast<std::int32_t>(decision.limited_by);
    out.source = static_cast<std::int32_t>(decision.origin);
    out.winner = decision.winner;
    out.failed_metric = decision.failed_metric;
    out.event = static_cast<std::int32_t>(decision.event);
    std::memcpy(out.conditions, decision.conditions.data(), sizeof decision.conditions);
    std::memset(out.conditions + decide::condition_count, 0, sizeof out.conditions - sizeof decision.conditions);
    out.forecast_state = static_cast<std::int32_t>(decision.forecast_state);
    out.forecast_need = decision.forecast_need;
}

}  // namespace

void write_decision(const decide::decision& decision, gputide_decision* out) {
    if (out->struct_size == sizeof *out) return fill(decision, *out);
    gputide_decision room{};
    fill(decision, room);
    write_struct(out, room);
}

result<decide::decision> from_c(const gputide_decision& given) {
    if (result<void> ok = check_flags(given.flags, decision_flags, "decision.flags"); !ok) {
        return std::move(ok).failure();
    }
    const auto has = [&](std::uint32_t flag) { return (given.flags & flag) != 0; };
    decide::decision out;
    out.active = has(GPUTIDE_DECIDED_ACTIVE);
    out.error = has(GPUTIDE_DECIDED_ERROR);
    out.executor_ran = has(GPUTIDE_DECIDED_EXECUTOR);
    out.hpa_ran = has(GPUTIDE_DECIDED_HPA);
    out.id = given.id;
    out.now_ms = given.now_ms;
    out.next_due_ms = given.next_due_ms;
    out.current_replicas = given.current_replicas;
    out.desired_replicas = given.desired_replicas;
    out.proposed_replicas = given.proposed_replicas;
    out.limited_by = static_cast<decide::limit>(given.limited_by);
    out.origin = static_cast<decide::origin>(given.source);
    out.winner = given.winner;
    out.failed_metric = given.failed_metric;
    out.event = static_cast<decide::event>(given.event);
    for (std::size_t i = 0; i < decide::condition_count; ++i) {
        const gputide_condition& one = given.conditions[i];
        out.conditions[i] = {static_cast<decide::truth>(one.truth), static_cast<decide::reason>(one.reason),
                             one.since_ms};
    }
    return out;
}

result<void> read_observation(const gputide_observation* seen, seen_input& out) {
    gputide_observation room;
    const result<const gputide_observation*> viewed = view_struct(seen, "observation", room);
    if (!viewed) return viewed.failure();
    const gputide_observation* given = *viewed;
    if (!is_right(*given)) return wrong_observation(*given);
    const auto has = [&](std::uint32_t flag) { return (given->flags & flag) != 0; };
    if (result<void> ok = read_samples(*given, out); !ok) return ok;
    if (given->pod_count > 0) {
        if (result<void> ok = read_pods(*given, out); !ok) return ok;
    }
    if (given->pod_sample_count > 0) {
        if (result<void> ok = read_pod_samples(*given, out); !ok) return ok;
    }
    out.observation.now_ms = given->now_ms;
    out.observation.spec_replicas = given->current_replicas;
    out.observation.status_replicas = said(given->status_replicas, has(GPUTIDE_SEEN_STATUS));
    out.observation.ready_replicas = said(given->ready_replicas, has(GPUTIDE_SEEN_READY));
    out.observation.scale_readable = !has(GPUTIDE_SCALE_UNREADABLE);
    out.observation.pods = out.pods;
    out.observation.pod_samples = out.pod_samples;
    return {};
}

result<void> check_counts(const decide::policy& policy, const decide::observation& seen, bool none_is_fine) {
    const std::size_t metrics = policy.metrics.size();
    const bool none = seen.samples.empty() && (none_is_fine || needs_no_sample(policy, seen));
    if (!none && seen.samples.size() != metrics) {
        return fail(status::invalid, format_text("observation.sample_count is {}; the policy has {} metrics",
                                                 seen.samples.size(), metrics));
    }
    for (const decide::pod_sample& one : seen.pod_samples) {
        if (static_cast<std::size_t>(one.metric) < metrics) continue;
        return fail(status::invalid,
                    format_text("observation.pod_samples: metric {} of {}; they count from 0", one.metric, metrics));
    }
    return {};
}

}  // namespace gputide::capi
