// keda-executor, kinds state and hpa_health, and of executor what no manifest may say: a minimum above the maximum.  In the strict
// profile.  Only the executor's own writes count here; what the HPA half would do in the same tick is left out.
#include "base/text.hpp"
#include "config/scaled_object.hpp"
#include "decide/decide.hpp"
#include "decide/keda/activity.hpp"
#include "frame/check.hpp"
#include "inside/keda_spec.hpp"

namespace conformance::keda_executor {
namespace {

using namespace gputide::decide;

constexpr std::int64_t epoch_ms = 1'700'000'000'000;

// Two triggers: the first is active or not, the second in error or not.  An error that is left over after fallback is one
// that the fallback cannot mend: a Value target with no ready pod to divide by.
policy two_triggers(gputide::config::scaling spec) {
    spec.polling_interval_s = 0;
    std::vector<metric_policy> metrics{metric_of("prometheus", "", 0), metric_of("prometheus", "", 1)};
    for (metric_policy& metric : metrics) {
        metric.type = gputide::config::target_type::value;
        metric.target_milli = 1000;
    }
    auto out = make_policy(std::move(spec), std::move(metrics));
    if (!out) throw std::runtime_error(out.failure().message);
    return *std::move(out);
}

struct samples {
    std::array<gputide::sample, 2> both;

    samples(bool active, bool error) {
        both[0].state = both[1].state = gputide::sample_state::ok;
        both[0].value = active ? 1.0 : 0.0;
        if (error) both[1].state = gputide::sample_state::failed;
    }
};

observation observed(std::int64_t now_ms, std::int32_t replicas, const samples& read) {
    observation out;
    out.now_ms = now_ms;
    out.spec_replicas = replicas;
    out.ready_replicas = 0;
    out.samples = read.both;
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
        const condition& one = condition_in(made, type);
        const bool said = one.truth != truth::absent && (type != condition_type::paused || is_paused(made));
        if (said) out[condition_name(type)] = {{"status", truth_name(one.truth)}, {"reason", reason_name(one.reason)}};
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

differences check_executor(const json& one, const json&) {
    gputide::config::scaling spec = executor_spec_of(one.at("spec"));
    spec.pause = gputide::config::read_pause(one.value("annotations", json::object()).get<gputide::config::texts>());
    const policy by = two_triggers(std::move(spec));
    state with = state_before(by, one.at("state"));
    const std::int64_t last_active_ms = with.last_active_ms;
    const samples read(one.at("input").at("isActive"), one.at("input").at("isError"));
    decision made = decide(by, with, observed(epoch_ms, one.at("state").at("currentReplicas"), read));
    const auto write = executor_write(made);
    if (write) {
        const bool fails = one.at("state").value("writeFails", false);
        fails ? record_failed(by, with, made, epoch_ms) : record_applied(by, with, made, epoch_ms);
    }
    const json& expect = one.at("expect");
    differences out;
    expect_equal(out, "write_replicas", expect.at("write_replicas"), write ? json(*write) : json());
    expect_equal(out, "conditions", expect.at("conditions"), conditions_json(made));
    expect_equal(out, "last_active_updated", expect.at("last_active_updated"), with.last_active_ms != last_active_ms);
    expect_equal(out, "event", expect.at("event"), event_json(made));
    return out;
}

// The first external trigger is the one that the formula names.
policy policy_for_state(const json& one) {
    gputide::config::scaling spec;
    spec.extra.profile = gputide::config::profile::strict;
    std::vector<metric_policy> metrics;
    bool named = false;
    for (const json& trigger : one.at("triggers")) {
        metrics.push_back(metric_of(trigger.at("type"), "", metrics.size()));
        if (named || metrics.back().kind != metric_kind::external) continue;
        metrics.back().user_name = "a";
        named = true;
    }
    if (one.contains("scalingModifiers")) {
        spec.modifiers = modifiers_of(one.at("scalingModifiers"));
        spec.modifiers->formula = "a";
        spec.modifiers->target = "1";
    }
    auto out = make_policy(std::move(spec), std::move(metrics));
    if (!out) throw std::runtime_error(out.failure().message);
    return *std::move(out);
}

composite composite_in(const policy& by, const json& one) {
    const json modifiers = one.value("scalingModifiers", json::object());
    const json milli = modifiers.value("composite_milli", json());
    if (milli.is_null()) return {};
    return composite_of_value(by, composite_state::formula, *gputide::parse_int64(milli.get<std::string>()));
}

differences check_state(const json& one, const json&) {
    const policy by = policy_for_state(one);
    std::vector<passed_metric> passed;
    for (const json& trigger : one.at("triggers")) {
        passed_metric metric;
        metric.fallback_active = trigger.at("fallback_active");
        metric.active = trigger.at("active").get<bool>() || metric.fallback_active;
        metric.error = trigger.at("error");
        passed.push_back(metric);
    }
    const activity got = activity_of(by, passed, composite_in(by, one));
    differences out;
    expect_equal(out, "isActive", one.at("expect").at("isActive"), got.active);
    expect_equal(out, "isError", one.at("expect").at("isError"), got.error);
    return out;
}

truth truth_of(const std::string& word) {
    if (word == "True") return truth::yes;
    return word == "False" ? truth::no : truth::unknown;
}

// A condition as the API carries it: reason and message are texts, also of a foreign HPA.
struct reported_condition {
    truth status = truth::unknown;
    std::string reason;
    std::string message;
};

// KEDA's condition HPAActive is the HPA's ScalingActive, mirrored onto the scaled object, or nothing where it is left as it was.
// The library makes no HPAs, and so has none to mirror; the rule stands here for the cases' sake.
// Source: kedacore/keda pkg/scaling/executor/scale_scaledobjects.go (since v2.20.2 it no longer changes Ready).
std::optional<reported_condition> mirrored_health(const std::optional<reported_condition>& scaling_active) {
    if (!scaling_active) return std::nullopt;
    const reported_condition& condition = *scaling_active;
    const std::string disabled = reason_name(reason::scaling_disabled);
    if (condition.status == truth::yes) return reported_condition{truth::yes, "HPAActive", "HPA is actively scaling"};
    if (condition.status != truth::no) return std::nullopt;
    // At 0 replicas the HPA switches itself off; that is its health, not its illness.
    if (condition.reason == disabled) return reported_condition{truth::yes, disabled, condition.message};
    const std::string why = condition.reason.empty() ? "HPAMetricsUnavailable" : condition.reason;
    return reported_condition{truth::no, why, "HPA is not actively scaling: " + condition.message};
}

differences check_health(const json& one, const json&) {
    std::optional<reported_condition> scaling_active;
    for (const json& said : one.at("hpa_conditions"))
        if (said.at("type") == "ScalingActive")
            scaling_active = {truth_of(said.at("status")), said.value("reason", ""), said.value("message", "")};
    const auto got = mirrored_health(scaling_active);
    const json& expect = one.at("expect");
    differences out;
    expect_equal(out, "status", expect.at("status"), got ? json(truth_name(got->status)) : json());
    if (!got) return out;
    if (expect.contains("reason")) expect_equal(out, "reason", expect.at("reason"), got->reason);
    if (expect.contains("message")) expect_equal(out, "message", expect.at("message"), got->message);
    return out;
}

const registration executors{"keda-executor", {"executor"}, &check_executor};
const registration states{"keda-executor", {"state"}, &check_state};
const registration healths{"keda-executor", {"hpa_health"}, &check_health};

}  // namespace
}  // namespace conformance::keda_executor
