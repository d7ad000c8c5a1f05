// Reads samples and observations from the host's arrays; each error names the element.
#include "capi/observation.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "capi/entry.hpp"
#include "capi/structs.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace gputide::capi {

static_assert(same(GPUTIDE_SAMPLE_NOT_GIVEN, sample_state::not_given) && same(GPUTIDE_SAMPLE_OK, sample_state::ok));
static_assert(same(GPUTIDE_SAMPLE_EMPTY, sample_state::empty) && same(GPUTIDE_SAMPLE_STALE, sample_state::stale));
static_assert(same(GPUTIDE_SAMPLE_NOT_A_NUMBER, sample_state::not_a_number));
static_assert(same(GPUTIDE_SAMPLE_PARTIAL, sample_state::partial));
static_assert(same(GPUTIDE_SAMPLE_AMBIGUOUS, sample_state::ambiguous) && same(GPUTIDE_SAMPLE_AUTH, sample_state::auth));
static_assert(same(GPUTIDE_SAMPLE_TIMEOUT, sample_state::timeout) && same(GPUTIDE_SAMPLE_FAILED, sample_state::failed));

error wrong_sample(const gputide_sample& given) {
    if (given.state < GPUTIDE_SAMPLE_NOT_GIVEN || given.state > GPUTIDE_SAMPLE_FAILED) {
        return fail(status::invalid, "state is {}; expected a GPUTIDE_SAMPLE_* number", given.state);
    }
    if (result<void> ok = check_flags(given.flags, GPUTIDE_SAMPLE_NULL_AS_ZERO, "flags"); !ok) {
        return ok.take_failure();
    }
    if (is_in_seconds(given.time_ms)) return is_no_time(given.time_ms, "time_ms");
    return fail(status::invalid, "value is not finite; set state to GPUTIDE_SAMPLE_NOT_A_NUMBER");
}

result<sample> from_c(const gputide_sample& given) {
    if (!is_right(given)) return wrong_sample(given);
    return read_sample(given);
}

gputide_sample to_c(const sample& value) {
    gputide_sample out{};
    out.state = static_cast<gputide_sample_state>(value.state);
    out.status = static_cast<gputide_status>(value.status);
    out.flags = value.null_as_zero ? GPUTIDE_SAMPLE_NULL_AS_ZERO : 0;
    out.value = value.value;
    out.time_ms = value.time_ms;
    return out;
}

namespace {

static_assert(same(GPUTIDE_POD_RUNNING, decide::pod_phase::running));
static_assert(same(GPUTIDE_POD_UNKNOWN, decide::pod_phase::unknown));
static_assert(same(GPUTIDE_READY_YES, decide::readiness::yes));
static_assert(same(GPUTIDE_READY_NO_CONDITION, decide::readiness::no_condition));
static_assert(same(GPUTIDE_READY_UNKNOWN, decide::readiness::unknown));
static_assert(GPUTIDE_NO_VALUE == decide::absent);

constexpr std::uint32_t observation_flags =
    GPUTIDE_OBSERVED_STATUS | GPUTIDE_OBSERVED_READY | GPUTIDE_SCALE_UNREADABLE | GPUTIDE_OBSERVED_PODS;

std::int64_t or_absent(std::int64_t time_ms) { return time_ms == 0 ? decide::absent : time_ms; }

result<void> wrong(const char* name, std::uint32_t index, const std::string& problem) {
    return fail(status::invalid, "{}[{}]{}", name, index, problem);
}

result<void> check_element_time(std::int64_t time_ms, const char* name, std::uint32_t index, const char* member) {
    if (!is_in_seconds(time_ms)) return {};
    return is_no_time(time_ms, format_text("{}[{}]{}", name, index, member).c_str());
}

[[gnu::cold]] error wrong_element(const gputide_sample& given, std::uint32_t index) {
    error why = wrong_sample(given);
    why.message = format_text("observation.samples[{}]: {}", index, why.message);
    return why;
}

observed_lists& lists_of(observation_input& out) {
    if (out.lists == nullptr) out.lists = std::make_unique<observed_lists>();
    return *out.lists;
}

[[gnu::cold]] void keep_message(observation_input& out, std::uint32_t index, const char* message) {
    std::vector<std::string_view>& messages = lists_of(out).messages;
    messages.resize(out.samples.size());
    messages[index] = message;
}

result<void> read_samples(const gputide_observation& seen, observation_input& out) {
    if (seen.sample_count > limits::triggers) return fail(status::limit, "observation.sample_count is too large");
    out.samples.reset(seen.sample_count);
    const std::span<sample> buffer = out.samples.all();
    out.observation.samples = buffer;
    return for_each(seen.samples, seen.sample_size, seen.sample_count, "observation.samples",
                    [&](const gputide_sample& element, std::uint32_t index) -> result<void> {
                        if (!is_right(element)) return wrong_element(element, index);
                        decide::build(buffer[index], [&] { return read_sample(element); });
                        if (element.message == nullptr) return {};
                        keep_message(out, index, element.message);
                        return {};
                    });
}

result<void> check_pod(const gputide_pod& given, std::uint32_t index) {
    if (given.phase < GPUTIDE_POD_RUNNING || given.phase > GPUTIDE_POD_UNKNOWN) {
        return wrong("observation.pods", index,
                     format_text(".phase is {}; expected a GPUTIDE_POD_* number", given.phase));
    }
    if (given.ready < GPUTIDE_READY_YES || given.ready > GPUTIDE_READY_UNKNOWN) {
        return wrong("observation.pods", index,
                     format_text(".ready is {}; expected a GPUTIDE_READY_* number", given.ready));
    }
    if (result<void> ok = check_element_time(given.start_time_ms, "observation.pods", index, ".start_time_ms"); !ok)
        return ok;
    return check_element_time(given.ready_change_time_ms, "observation.pods", index, ".ready_change_time_ms");
}

decide::pod pod_of(const gputide_pod& given) {
    decide::pod out;
    out.name = text_or_empty(given.name);
    out.phase = static_cast<decide::pod_phase>(given.phase);
    out.deleting = given.deleting != 0;
    out.readiness = static_cast<decide::readiness>(given.ready);
    out.start_time_ms = or_absent(given.start_time_ms);
    out.ready_change_time_ms = given.ready_change_time_ms != 0 ? given.ready_change_time_ms : out.start_time_ms;
    return out;
}

result<void> read_pods(const gputide_observation& seen, observed_lists& out) {
    return for_each(seen.pods, seen.pod_size, seen.pod_count, "observation.pods",
                    [&](const gputide_pod& pod, std::uint32_t index) -> result<void> {
                        if (result<void> ok = check_pod(pod, index); !ok) return ok;
                        out.pods.push_back(pod_of(pod));
                        return {};
                    });
}

result<void> check_pod_sample(const gputide_pod_sample& given, std::uint32_t index, std::uint32_t pods) {
    if (given.pod < 0 || given.pod > static_cast<std::int64_t>(pods)) {
        return wrong("observation.pod_samples", index,
                     format_text(".pod is {}; there are {} pods, numbered from 1", given.pod, pods));
    }
    if (given.metric < 0) {
        return wrong("observation.pod_samples", index, format_text(".metric is {}", given.metric));
    }
    return check_element_time(given.time_ms, "observation.pod_samples", index, ".time_ms");
}

decide::pod_sample pod_sample_of(const gputide_pod_sample& given) {
    decide::pod_sample out;
    out.metric = given.metric;
    out.pod = given.pod - 1;
    out.value_milli = given.value_milli;
    out.request_milli = or_absent(given.request_milli);
    out.time_ms = or_absent(given.time_ms);
    out.window_s = given.window_s != 0 ? given.window_s : 60;
    out.container = text_or_empty(given.container);
    return out;
}

result<void> read_pod_samples(const gputide_observation& seen, observed_lists& out) {
    return for_each(seen.pod_samples, seen.pod_sample_size, seen.pod_sample_count, "observation.pod_samples",
                    [&](const gputide_pod_sample& element, std::uint32_t index) -> result<void> {
                        if (result<void> ok = check_pod_sample(element, index, seen.pod_count); !ok) return ok;
                        out.pod_samples.push_back(pod_sample_of(element));
                        return {};
                    });
}

// Reads the pods and their samples.  Out of line, because most observations have none.
[[gnu::noinline]] result<void> read_pod_lists(const gputide_observation& seen, observation_input& out) {
    observed_lists& lists = lists_of(out);
    if (result<void> ok = read_pods(seen, lists); !ok) return ok;
    if (result<void> ok = read_pod_samples(seen, lists); !ok) return ok;
    out.observation.pods = lists.pods;
    out.observation.pod_samples = lists.pod_samples;
    return {};
}

bool is_right(const gputide_observation& seen) noexcept {
    return (seen.flags & ~observation_flags) == 0 && is_time(seen.now_ms) && seen.current_replicas >= 0 &&
           seen.status_replicas >= 0 && seen.ready_replicas >= 0;
}

[[gnu::cold]] error wrong_observation(const gputide_observation& seen) {
    if (result<void> ok = check_flags(seen.flags, observation_flags, "observation.flags"); !ok) {
        return ok.take_failure();
    }
    if (result<void> ok = check_time(seen.now_ms, "observation.now_ms"); !ok) return ok.take_failure();
    const auto [name, replicas] = seen.current_replicas < 0  ? std::pair("current_replicas", seen.current_replicas)
                                  : seen.status_replicas < 0 ? std::pair("status_replicas", seen.status_replicas)
                                                             : std::pair("ready_replicas", seen.ready_replicas);
    return fail(status::invalid, "observation.{} is {}; expected 0 or more", name, replicas);
}

// Returns -1 if the count is unknown.
std::int32_t or_unknown(std::int32_t replicas, bool present) noexcept {
    return replicas == 0 && !present ? -1 : replicas;
}

bool is_read_from_pods(const decide::metric_policy& metric) {
    return metric.kind == decide::metric_kind::pods || metric.kind == decide::metric_kind::resource ||
           metric.kind == decide::metric_kind::container_resource;
}

// Tells whether no metric of the policy takes a sample.
bool needs_no_sample(const decide::policy& policy, const decide::observation& seen) {
    return !seen.scale_readable || std::ranges::all_of(policy.metrics, is_read_from_pods);
}

}  // namespace

std::span<const std::string_view> observation_input::messages() const {
    return lists != nullptr ? std::span<const std::string_view>(lists->messages) : std::span<const std::string_view>();
}

std::string_view observation_input::message_of(std::int32_t metric) const {
    const auto index = static_cast<std::size_t>(metric);  // a negative number becomes a large one
    return index < messages().size() ? messages()[index] : std::string_view();
}

result<void> read_observation(const gputide_observation* seen, observation_input& out) {
    gputide_observation buffer;
    const result<const gputide_observation*> viewed = view_struct(seen, "observation", buffer);
    if (!viewed) return viewed.failure();
    const gputide_observation* given = *viewed;
    if (!is_right(*given)) return wrong_observation(*given);
    const auto has = [&](std::uint32_t flag) { return (given->flags & flag) != 0; };
    if (result<void> ok = read_samples(*given, out); !ok) return ok;
    if (given->pod_count > 0 || given->pod_sample_count > 0) {
        if (result<void> ok = read_pod_lists(*given, out); !ok) return ok;
    }
    out.observation.now_ms = given->now_ms;
    out.observation.spec_replicas = given->current_replicas;
    out.observation.status_replicas = or_unknown(given->status_replicas, has(GPUTIDE_OBSERVED_STATUS));
    out.observation.ready_replicas = or_unknown(given->ready_replicas, has(GPUTIDE_OBSERVED_READY));
    out.observation.scale_readable = !has(GPUTIDE_SCALE_UNREADABLE);
    if (!out.observation.scale_readable) out.observation.scale_error = text_or_empty(given->message);
    out.observation.lists_pods = has(GPUTIDE_OBSERVED_PODS);
    return {};
}

result<void> check_unusual_counts(const decide::policy& policy, const decide::observation& seen, bool none_is_fine) {
    const std::size_t metrics = policy.metrics.size();
    const bool none = seen.samples.empty() && (none_is_fine || needs_no_sample(policy, seen));
    if (!none && seen.samples.size() != metrics) {
        return fail(status::invalid, "observation.sample_count is {}; the policy has {} metrics", seen.samples.size(),
                    metrics);
    }
    for (const decide::pod_sample& pod_sample : seen.pod_samples) {
        if (static_cast<std::size_t>(pod_sample.metric) < metrics) continue;
        return fail(status::invalid,
                    "observation.pod_samples: metric is {}; the policy has {} metrics, numbered from 0",
                    pod_sample.metric, metrics);
    }
    return {};
}

}  // namespace gputide::capi
