// keda-executor, kinds state, hpa_health and watch_selector, and of executor what no C function tells: texts with the host's own reasons, and what no
// manifest may say, a minimum above the maximum.  In the strict profile.  Only the executor's own writes count here; what the HPA half
// would do in the same tick is left out.
#include "base/text.hpp"
#include "decide/decide.hpp"
#include "decide/keda/executor.hpp"
#include "decide/trace/texts.hpp"
#include "frame/check.hpp"
#include "inside/keda_spec.hpp"
#include "manifest/keda_operator.hpp"
#include "manifest/scalers.hpp"

namespace conformance::keda_executor {
namespace {

using namespace gputide::decide;

constexpr std::int64_t epoch_ms = 1'700'000'000'000;

// The first triggers are active or not, the last one in error or not.  An error that is left over after fallback is one that the
// fallback cannot mend: a Value target with no ready pod to divide by.
policy policy_of(const json& test_case) {
    gputide::manifest::scaling spec = executor_spec_of(test_case.at("spec"));
    spec.name_space = "ml";
    spec.target_name = "llm";
    spec.pause =
        gputide::manifest::read_pause(test_case.value("annotations", json::object()).get<gputide::manifest::texts>());
    spec.controller.versions = keda_versions_of(test_case);
    spec.polling_interval_s = 0;
    std::vector<metric_policy> metrics;
    for (const json& name : test_case.at("input").value("activeTriggers", json::array())) {
        metrics.push_back(metric_of("prometheus", "", metrics.size()));
        metrics.back().name = name;
    }
    if (metrics.empty()) metrics.push_back(metric_of("prometheus", "", 0));
    metrics.push_back(metric_of("failing", "", metrics.size()));
    for (metric_policy& metric : metrics) {
        metric.type = gputide::manifest::target_type::value;
        metric.target_milli = 1000;
    }
    auto out = make_policy(std::move(spec), std::move(metrics));
    if (!out) throw std::runtime_error(out.failure().message);
    return *std::move(out);
}

std::vector<gputide::sample> samples_of(const json& input, std::size_t triggers) {
    std::vector<gputide::sample> out(triggers);
    for (gputide::sample& sample : out) {
        sample.state = gputide::sample_state::ok;
        sample.value = input.at("isActive").get<bool>() ? 1.0 : 0.0;
    }
    out.back().value = 0.0;
    if (input.at("isError").get<bool>()) out.back().state = gputide::sample_state::failed;
    return out;
}

const condition& condition_in(const decision& made, condition_type type) {
    return made.conditions[static_cast<std::size_t>(type)];
}

bool is_paused(const decision& made) { return condition_in(made, condition_type::paused).truth == truth::yes; }

// A paused count is the reconciler's write, not the executor's.
std::optional<std::int32_t> executor_write(const decision& made) {
    const bool writes = made.origin == origin::executor && made.desired_replicas != made.current_replicas;
    return writes && !is_paused(made) ? std::optional(made.desired_replicas) : std::nullopt;
}

json conditions_json(const decision& made) {
    json out = json::object();
    for (const condition_type type : {condition_type::ready, condition_type::active, condition_type::paused}) {
        const condition& condition = condition_in(made, type);
        const bool said = condition.truth != truth::absent && (type != condition_type::paused || is_paused(made));
        if (said)
            out[condition_name(type)] = {{"status", truth_name(condition.truth)},
                                         {"reason", reason_name(condition.reason)}};
    }
    return out;
}

json event_json(const decision& made) { return made.event == event::none ? json() : json(event_name(made.event)); }

state state_before(const policy& by, const json& from) {
    state out = make_state(by, epoch_ms - from.value("createdAgeSeconds", std::int64_t{0}) * 1000);
    const json& age = from.at("lastActiveAgeSeconds");
    if (!age.is_null()) out.last_active_ms = epoch_ms - age.get<std::int64_t>() * 1000;
    return out;
}

// Why the size could not be read, or not be written.
std::string reason_in(const json& state) {
    if (state.value("readFails", false)) return state.value("readError", "deployments.apps \"llm\" not found");
    return state.value("writeError", "the server rejected our request");
}

void compare_texts(differences& out, const json& test_case, const policy& by, const state& with, const decision& made,
                   const write_event& event) {
    const json& expect = test_case.at("expect");
    const std::string why = reason_in(test_case.at("state"));
    const json messages = expect.value("messages", json::object());
    for (const auto& [name, wanted] : messages.items()) {
        const auto type = name == "Ready" ? condition_type::ready : condition_type::active;
        std::string buffer;
        expect_equal(out, name + " message", wanted,
                     condition_message(by, made, type, {.scale_error = with.scale_error}, buffer));
    }
    if (!expect.contains("event_message")) return;
    write_event write = event;
    write.target = "apps/v1.Deployment ml/llm";
    write.error = why;
    const std::string message = event_message(made, write);
    expect_equal(out, "event_message", expect.at("event_message"), message.empty() ? json() : json(message));
}

differences check_executor(const json& test_case, const json&) {
    const policy by = policy_of(test_case);
    state with = state_before(by, test_case.at("state"));
    const std::int64_t last_active_ms = with.last_active_ms;
    const std::vector<gputide::sample> samples = samples_of(test_case.at("input"), by.metrics.size());
    observation seen;
    seen.now_ms = epoch_ms;
    seen.spec_replicas = test_case.at("state").at("currentReplicas");
    seen.ready_replicas = 0;
    seen.scale_readable = !test_case.at("state").value("readFails", false);
    const std::string why = reason_in(test_case.at("state"));
    if (!seen.scale_readable) seen.scale_error = why;
    seen.samples = samples;
    decision made = decide(by, with, seen);
    const write_event event = write_event_of(by, with);
    const auto write = executor_write(made);
    if (write) {
        const bool fails = test_case.at("state").value("writeFails", false);
        fails ? record_failed(by, with, made, epoch_ms, why) : record_applied(by, with, made, epoch_ms);
    }
    const json& expect = test_case.at("expect");
    differences out;
    expect_equal(out, "write_replicas", expect.at("write_replicas"), write ? json(*write) : json());
    expect_equal(out, "conditions", expect.at("conditions"), conditions_json(made));
    expect_equal(out, "last_active_updated", expect.at("last_active_updated"), with.last_active_ms != last_active_ms);
    expect_equal(out, "event", expect.at("event"), event_json(made));
    compare_texts(out, test_case, by, with, made, event);
    return out;
}

// The first external trigger is the one that the formula names.
policy policy_for_state(const json& object) {
    gputide::manifest::scaling spec;
    spec.extra.profile = gputide::manifest::profile::strict;
    std::vector<metric_policy> metrics;
    bool named = false;
    for (const json& trigger : object.at("triggers")) {
        metrics.push_back(metric_of(trigger.at("type"), "", metrics.size()));
        if (named || metrics.back().kind != metric_kind::external) continue;
        metrics.back().user_name = "a";
        named = true;
    }
    if (object.contains("scalingModifiers")) {
        spec.modifiers = modifiers_of(object.at("scalingModifiers"));
        spec.modifiers->formula = "a";
        spec.modifiers->target = "1";
    }
    auto out = make_policy(std::move(spec), std::move(metrics));
    if (!out) throw std::runtime_error(out.failure().message);
    return *std::move(out);
}

composite composite_in(const policy& by, const json& object) {
    const json modifiers = object.value("scalingModifiers", json::object());
    const json milli = modifiers.value("composite_milli", json());
    if (milli.is_null()) return {};
    return composite_of_value(by, composite_state::formula, *gputide::parse_int64(milli.get<std::string>()));
}

differences check_state(const json& test_case, const json&) {
    const policy by = policy_for_state(test_case);
    std::vector<passed_metric> passed;
    for (const json& trigger : test_case.at("triggers")) {
        passed_metric metric;
        metric.fallback_active = trigger.at("fallback_active");
        metric.active = trigger.at("active").get<bool>() || metric.fallback_active;
        metric.error = trigger.at("error");
        passed.push_back(metric);
    }
    const activity got = activity_of(by, passed, composite_in(by, test_case));
    differences out;
    expect_equal(out, "isActive", test_case.at("expect").at("isActive"), got.active);
    expect_equal(out, "isError", test_case.at("expect").at("isError"), got.error);
    return out;
}

truth truth_of(const std::string& word) {
    if (word == "True") return truth::yes;
    return word == "False" ? truth::no : truth::unknown;
}

differences check_health(const json& test_case, const json&) {
    std::vector<reported_condition> conditions;
    for (const json& said : test_case.at("hpa_conditions")) {
        conditions.push_back(
            {said.at("type"), truth_of(said.at("status")), said.value("reason", ""), said.value("message", "")});
    }
    const auto got = hpa_active_of(conditions);
    const json& expect = test_case.at("expect");
    differences out;
    expect_equal(out, "status", expect.at("status"), got ? json(truth_name(got->status)) : json());
    if (!got) return out;
    if (expect.contains("reason")) expect_equal(out, "reason", expect.at("reason"), got->reason);
    if (expect.contains("message")) expect_equal(out, "message", expect.at("message"), got->message);
    return out;
}

// The objects that an operator with this WATCH_LABEL_SELECTOR scales.
differences check_watch(const json& test_case, const json&) {
    const auto selector = gputide::manifest::read_watch_selector(test_case.at("selector").get<std::string>());
    const json& expect = test_case.at("expect");
    differences out;
    expect_equal(out, "ok", expect.at("ok"), selector.ok());
    if (selector && expect.contains("watched")) {
        const auto labels = test_case.at("labels").get<gputide::manifest::texts>();
        expect_equal(out, "watched", expect.at("watched"), has_labels(*selector, labels));
    }
    if (!selector && expect.contains("error_contains"))
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), selector.failure().message);
    return out;
}

const registration watches{"keda-executor", {"watch_selector"}, &check_watch};
const registration executors{"keda-executor", {"executor"}, &check_executor};
const registration states{"keda-executor", {"state"}, &check_state};
const registration healths{"keda-executor", {"hpa_health"}, &check_health};

}  // namespace
}  // namespace conformance::keda_executor
