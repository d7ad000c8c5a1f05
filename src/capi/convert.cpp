#include "capi/convert.hpp"

#include "base/limits.hpp"
#include "capi/structs.hpp"

#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace gputide::capi {
namespace {

// The C numbers are the C++ ones; a change on one side alone does not build.
static_assert(GPUTIDE_SAMPLE_NOT_READ == static_cast<int>(sample_state::not_read));
static_assert(GPUTIDE_SAMPLE_TIMEOUT == static_cast<int>(sample_state::timeout));
static_assert(GPUTIDE_LIMIT_BUDGET == static_cast<int>(decide::limit::budget));
static_assert(GPUTIDE_LIMIT_COOLDOWN == static_cast<int>(decide::limit::cooldown));
static_assert(GPUTIDE_FROM_EXECUTOR == static_cast<int>(decide::origin::executor));
static_assert(GPUTIDE_CONDITION_PAUSED == static_cast<int>(decide::condition_type::paused));
static_assert(GPUTIDE_CONDITION_COUNT == static_cast<int>(decide::condition_count));
static_assert(GPUTIDE_UNKNOWN == static_cast<int>(decide::truth::unknown));
static_assert(GPUTIDE_POD_UNKNOWN == static_cast<int>(decide::pod_phase::unknown));
static_assert(GPUTIDE_READY_NO_CONDITION == static_cast<int>(decide::readiness::no_condition));

std::uint32_t flag(bool set, std::uint32_t bit) { return set ? bit : 0; }

std::int64_t or_absent(std::int64_t time_ms) { return time_ms == 0 ? decide::absent : time_ms; }

result<void> wrong(const char* name, std::uint32_t index, const std::string& what) {
    return fail(status::invalid, std::string(name) + "[" + std::to_string(index) + "]" + what);
}

// Calls one(element, index) for each element of a caller's array.
template <class T, class One>
result<void> for_each(const T* first, std::uint32_t count, std::uint32_t size, const char* name, One one) {
    if (count == 0) return {};
    if (first == nullptr) return fail(status::invalid, std::string(name) + ": NULL, and its count is not 0");
    if (size == 0) {
        return fail(status::invalid, std::string(name) + ": the size of an element is not set; set it to sizeof");
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        result<T> element = read_element(first, size, i, name);
        if (!element) return std::move(element).failure();
        if (result<void> done = one(*element, i); !done) return done;
    }
    return {};
}

result<void> read_samples(const gputide_observation& from, seen_input& out) {
    std::span<sample> room = out.few_samples;
    if (from.sample_count > room.size()) {
        if (from.sample_count > limits::triggers) return fail(status::limit, "observation.sample_count is too large");
        out.many_samples.resize(from.sample_count);
        room = out.many_samples;
    }
    out.observation.samples = room.first(from.sample_count);
    return for_each(from.samples, from.sample_count, from.sample_size, "observation.samples",
                    [&](const gputide_sample& one, std::uint32_t index) -> result<void> {
                        result<sample> value = from_c(one);
                        if (!value) return wrong("observation.samples", index, ": " + value.failure().message);
                        room[index] = *value;
                        return {};
                    });
}

result<void> read_pods(const gputide_observation& from, seen_input& out) {
    return for_each(from.pods, from.pod_count, from.pod_size, "observation.pods",
                    [&](const gputide_pod& one, std::uint32_t index) -> result<void> {
                        if (one.phase < 0 || one.phase > GPUTIDE_POD_UNKNOWN) {
                            return wrong("observation.pods", index, ".phase is " + std::to_string(one.phase));
                        }
                        if (one.ready < 0 || one.ready > GPUTIDE_READY_NO_CONDITION) {
                            return wrong("observation.pods", index, ".ready is " + std::to_string(one.ready));
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

result<void> read_pod_samples(const gputide_observation& from, seen_input& out) {
    return for_each(from.pod_samples, from.pod_sample_count, from.pod_sample_size, "observation.pod_samples",
                    [&](const gputide_pod_sample& one, std::uint32_t index) -> result<void> {
                        if (one.pod < -1 || one.pod >= static_cast<std::int64_t>(from.pod_count)) {
                            return wrong("observation.pod_samples", index, ".pod is " + std::to_string(one.pod));
                        }
                        if (one.metric < 0) {
                            return wrong("observation.pod_samples", index, ".metric is " + std::to_string(one.metric));
                        }
                        decide::pod_sample value;
                        value.metric = one.metric;
                        value.pod = one.pod;
                        value.value_milli = one.value_milli;
                        value.request_milli = or_absent(one.request_milli);
                        value.time_ms = or_absent(one.time_ms);
                        value.window_s = one.window_s != 0 ? one.window_s : 60;
                        out.pod_samples.push_back(value);
                        return {};
                    });
}

result<std::int32_t> count_of(std::int32_t replicas, bool present, const char* name) {
    if (replicas < 0) {
        return fail(status::invalid,
                    std::string("observation.") + name + " is " + std::to_string(replicas) + "; expected 0 or more");
    }
    return replicas == 0 && !present ? -1 : replicas;
}

}  // namespace

gputide_sample to_c(const sample& from) {
    gputide_sample out{};
    out.state = static_cast<gputide_sample_state>(from.state);
    out.status = static_cast<gputide_status>(from.status);
    out.flags = flag(from.null_as_zero, GPUTIDE_SAMPLE_NULL_AS_ZERO);
    out.value = from.value;
    out.time_ms = from.time_ms;
    return out;
}

result<sample> from_c(const gputide_sample& from) {
    if (from.state < GPUTIDE_SAMPLE_OK || from.state > GPUTIDE_SAMPLE_NOT_READ) {
        return fail(status::invalid, "state is " + std::to_string(from.state) + "; expected a GPUTIDE_SAMPLE_* number");
    }
    sample out;
    out.state = static_cast<sample_state>(from.state);
    out.status = static_cast<status>(from.status);
    out.null_as_zero = (from.flags & GPUTIDE_SAMPLE_NULL_AS_ZERO) != 0;
    out.time_ms = from.time_ms;
    if (out.state != sample_state::ok) return out;
    if (!std::isfinite(from.value)) {
        return fail(status::invalid, "value is not finite; say GPUTIDE_SAMPLE_NOT_A_NUMBER as its state");
    }
    out.value = from.value;
    return out;
}

gputide_decision to_c(const decide::decision& from) {
    gputide_decision out{};
    out.flags = flag(from.active, GPUTIDE_DECIDED_ACTIVE) | flag(from.error, GPUTIDE_DECIDED_ERROR) |
                flag(from.executor_ran, GPUTIDE_DECIDED_EXECUTOR) | flag(from.hpa_ran, GPUTIDE_DECIDED_HPA);
    out.now_ms = from.now_ms;
    out.next_due_ms = from.next_due_ms;
    out.current_replicas = from.current_replicas;
    out.desired_replicas = from.desired_replicas;
    out.proposed_replicas = from.proposed_replicas;
    out.limited_by = static_cast<std::int32_t>(from.limited_by);
    out.source = static_cast<std::int32_t>(from.origin);
    out.winner = from.winner;
    out.failed_metric = from.failed_metric;
    out.event = static_cast<std::int32_t>(from.event);
    for (std::size_t i = 0; i < decide::condition_count; ++i) {
        const decide::condition& one = from.conditions[i];
        out.conditions[i] = {static_cast<std::int32_t>(one.truth), static_cast<std::int32_t>(one.reason), one.since_ms};
    }
    return out;
}

decide::decision from_c(const gputide_decision& from) {
    const auto has = [&](std::uint32_t flag) { return (from.flags & flag) != 0; };
    decide::decision out;
    out.active = has(GPUTIDE_DECIDED_ACTIVE);
    out.error = has(GPUTIDE_DECIDED_ERROR);
    out.executor_ran = has(GPUTIDE_DECIDED_EXECUTOR);
    out.hpa_ran = has(GPUTIDE_DECIDED_HPA);
    out.now_ms = from.now_ms;
    out.next_due_ms = from.next_due_ms;
    out.current_replicas = from.current_replicas;
    out.desired_replicas = from.desired_replicas;
    out.proposed_replicas = from.proposed_replicas;
    out.limited_by = static_cast<decide::limit>(from.limited_by);
    out.origin = static_cast<decide::origin>(from.source);
    out.winner = from.winner;
    out.failed_metric = from.failed_metric;
    out.event = static_cast<decide::event>(from.event);
    for (std::size_t i = 0; i < decide::condition_count; ++i) {
        const gputide_condition& one = from.conditions[i];
        out.conditions[i] = {static_cast<decide::truth>(one.truth), static_cast<decide::reason>(one.reason),
                             one.since_ms};
    }
    return out;
}

result<void> read_observation(const gputide_observation* seen, seen_input& out) {
    result<gputide_observation> given = read_struct(seen, "observation");
    if (!given) return std::move(given).failure();
    const auto has = [&](std::uint32_t flag) { return (given->flags & flag) != 0; };
    result<std::int32_t> current = count_of(given->current_replicas, true, "current_replicas");
    if (!current) return std::move(current).failure();
    result<std::int32_t> existing = count_of(given->status_replicas, has(GPUTIDE_SEEN_STATUS), "status_replicas");
    if (!existing) return std::move(existing).failure();
    result<std::int32_t> ready = count_of(given->ready_replicas, has(GPUTIDE_SEEN_READY), "ready_replicas");
    if (!ready) return std::move(ready).failure();
    for (auto read : {read_samples, read_pods, read_pod_samples}) {
        if (result<void> done = read(*given, out); !done) return done;
    }
    out.observation.now_ms = given->now_ms;
    out.observation.spec_replicas = *current;
    out.observation.status_replicas = *existing;
    out.observation.ready_replicas = *ready;
    out.observation.scale_readable = !has(GPUTIDE_SCALE_UNREADABLE);
    out.observation.pods = out.pods;
    out.observation.pod_samples = out.pod_samples;
    return {};
}

}  // namespace gputide::capi
