// keda-executor, kinds observed, polling and metric_spec_stream: which half reads a trigger and counts its failures, and which
// targets hold.  In the strict profile; each step runs one half alone.
#include "auth/open.hpp"
#include "decide/decide.hpp"
#include "decide/decision.hpp"
#include "decide/trace/trace.hpp"
#include "frame/check.hpp"
#include "inside/keda_spec.hpp"
#include "manifest/load.hpp"
#include "manifest/scaling.hpp"
#include "source/external/external.hpp"
#include "source/grpc/grpc.hpp"
#include "source/source.hpp"

#include <algorithm>
#include <bit>

namespace conformance::keda_observed {
namespace {

using namespace gputide::decide;
namespace manifest = gputide::manifest;

constexpr std::int64_t epoch_ms = 1'700'000'000'000;

struct scaler {
    explicit scaler(const json& object)
        : by(policy_of(object)), with(make_state(by, epoch_ms)), replicas(object.at("replicas")) {
        for (const json& trigger : object.at("triggers")) names.push_back(trigger.at("name"));
        samples.resize(names.size());
    }

    static policy policy_of(const json& object) {
        manifest::scaling spec = executor_spec_of(object.at("spec"));
        spec.controller.versions = keda_versions_of(object);
        std::vector<metric_policy> metrics;
        for (const json& trigger : object.at("triggers")) {
            metric_policy metric = metric_of(trigger.at("name"), trigger.at("name"), metrics.size());
            metric.type = target_type_of(trigger.value("metricType", "AverageValue"));
            metric.target_milli = static_cast<std::int64_t>(trigger.at("target").get<double>() * 1000);
            metric.activation_threshold = trigger.value("activation", 0.0);
            metric.use_cached = trigger.value("useCachedMetrics", false);
            metrics.push_back(std::move(metric));
        }
        auto out = make_policy(std::move(spec), std::move(metrics));
        if (!out) throw std::runtime_error(out.failure().message);
        return *std::move(out);
    }

    void change(const json& step) {
        const json values = step.value("values", json::object());
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!values.contains(names[i])) continue;
            const json& value = values.at(names[i]);
            samples[i].state = value.is_null() ? gputide::sample_state::failed : gputide::sample_state::ok;
            samples[i].value = value.is_null() ? 0.0 : value.get<double>();
        }
        if (step.contains("replicas")) replicas = step.at("replicas");
        if (!step.contains("scaling_active")) return;
        const std::string word = step.at("scaling_active");
        const truth is = word == "True" ? truth::yes : word == "False" ? truth::no : truth::unknown;
        set_condition(with.conditions, condition_type::scaling_active, is, reason::none, 0);
    }

    // The other half is not due.
    decision run(std::int64_t now_ms, bool polls, trace& why) {
        with.last_executor_ms = polls ? absent : now_ms;
        with.last_hpa_ms = polls ? now_ms : absent;
        observation seen;
        seen.now_ms = now_ms;
        seen.spec_replicas = replicas;
        seen.samples = samples;
        return decide(by, with, seen, &why);
    }

    policy by;
    state with;
    std::int32_t replicas;
    std::vector<std::string> names;
    std::vector<gputide::sample> samples;
};

json condition_json(const decision& made, condition_type type) {
    const condition& condition = made.conditions[static_cast<std::size_t>(type)];
    return {{"status", truth_name(condition.truth)}, {"reason", reason_name(condition.reason)}};
}

json asked_in(const scaler& entry, const trace& why) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < why.metrics.size(); ++i) {
        if (!why.metrics[i].from_cache && !why.metrics[i].from_hpa) out.push_back(entry.names[i]);
    }
    std::sort(out.begin(), out.end());
    return out;
}

void add_health(json& to, const scaler& entry, const decision& made) {
    to["failures"] = json::object();
    if (!entry.by.fallback_on) return;
    for (std::size_t i = 0; i < entry.names.size(); ++i) to["failures"][entry.names[i]] = entry.with.health[i].failures;
    to["fallback"] = condition_of(made.conditions, condition_type::fallback).truth == truth::yes;
}

json poll(scaler& entry, std::int64_t now_ms) {
    trace why;
    decision made = entry.run(now_ms, true, why);
    json out = {{"asked", asked_in(entry, why)}, {"write_replicas", nullptr}};
    if (made.desired_replicas != made.current_replicas) {
        record_applied(entry.by, entry.with, made, now_ms);
        out["write_replicas"] = entry.replicas = made.desired_replicas;
    }
    add_health(out, entry, made);
    out["ready"] = condition_json(made, condition_type::ready);
    out["active"] = condition_json(made, condition_type::active);
    const std::int64_t active_ms = entry.with.last_active_ms;
    out["last_active_t"] = active_ms == absent ? json() : json((active_ms - epoch_ms) / 1000);
    return out;
}

json hpa(scaler& entry, std::int64_t now_ms) {
    trace why;
    const decision made = entry.run(now_ms, false, why);
    json out = {{"asked", asked_in(entry, why)}, {"metrics_milli", json::object()}};
    for (std::size_t i = 0; i < why.metrics.size(); ++i) {
        const passed_metric& passed = why.metrics[i].passed;
        out["metrics_milli"][entry.names[i]] = passed.error ? json() : json(std::to_string(passed.value_milli));
    }
    add_health(out, entry, made);
    out["scaling_active"] = truth_name(condition_of(made.conditions, condition_type::scaling_active).truth);
    return out;
}

differences check_observed(const json& test_case, const json&) {
    scaler at(test_case);
    differences out;
    const json& steps = test_case.at("steps");
    for (std::size_t i = 0; i < steps.size(); ++i) {
        at.change(steps[i]);
        const std::int64_t now_ms = epoch_ms + steps[i].at("t").get<std::int64_t>() * 1000;
        const json got = steps[i].at("do") == "poll" ? poll(at, now_ms) : hpa(at, now_ms);
        for (const auto& [name, value] : test_case.at("expect").at("steps").at(i).items())
            expect_equal(out, "step " + std::to_string(i) + "." + name, value, got.value(name, json()));
    }
    return out;
}

manifest::spec loaded_spec(const json& object) {
    json spec = object.at("spec");
    spec["scaleTargetRef"] = {{"name", "llm"}};
    const std::string text = json{
        {"apiVersion", "keda.sh/v1alpha1"},
        {"kind", "ScaledObject"},
        {"metadata",
         {{"name", "llm"}, {"annotations", {{"gputide.io/keda-version", object.value("keda_version", "2.20")}}}}},
        {"spec", spec}}.dump();
    manifest::surroundings host;
    host.kinds = {gputide::source::trigger_kinds(), gputide::auth::identity_kinds()};
    manifest::loaded read = manifest::load({{"case", text}}, host);
    std::vector<manifest::spec>& specs = read.specs.empty() ? read.drafts : read.specs;
    if (specs.empty()) throw std::runtime_error(read.report.as_error().message);
    return std::move(specs.front());
}

differences check_polling(const json& test_case, const json&) {
    const manifest::spec spec = loaded_spec(test_case);
    const bool caches = std::any_of(spec.triggers.begin(), spec.triggers.end(),
                                    [](const manifest::trigger& trigger) { return trigger.use_cached_metrics; });
    differences out;
    const json got = {{"polling_interval_relevant", manifest::polling_interval_is_relevant(spec.scaling, caches)},
                      {"uses_hpa_observations", manifest::takes_hpa_reads(spec.scaling, caches)}};
    expect_members(out, test_case.at("expect"), got);
    return out;
}

const registration observeds{"keda-executor", {"observed"}, &check_observed};
const registration pollings{"keda-executor", {"polling"}, &check_polling};

// A GetMetricSpecResponse, with targetSizeFloat.
std::string spec_message(const json& specs) {
    std::string out;
    for (const json& spec : specs) {
        std::string entry;
        gputide::source::grpc::put_bytes(entry, 1, spec.at("name").get<std::string>());
        entry += '\x19';
        const auto bits = std::bit_cast<std::uint64_t>(spec.at("target").get<double>());
        for (unsigned i = 0; i < 8; ++i) entry += static_cast<char>(bits >> 8 * i);
        gputide::source::grpc::put_bytes(out, 1, entry);
    }
    return out;
}

// The triggers of an object as this library has them: another generation and another object have sources of their own.
struct streamed_object {
    explicit streamed_object(const json& triggers) : streams(triggers.size()) {
        for (std::size_t i = 0; i < triggers.size(); ++i) {
            asked.push_back({{"name", "s" + std::to_string(i) + "-" + triggers[i].at("name").get<std::string>()},
                             {"target", triggers[i].at("target")}});
        }
    }
    json hpa() const {
        json out = json::array();
        for (std::size_t i = 0; i < streams.size(); ++i) {
            auto own = gputide::source::external::read_specs(spec_message(json::array({asked[i]})));
            for (const auto& spec : streams[i].or_else(*std::move(own)))
                out.push_back({{"name", spec.name}, {"target_milli", std::to_string(spec.target_milli)}});
        }
        return out;
    }

    std::vector<json> asked;
    std::vector<gputide::source::external::streamed_specs> streams;
};

differences check_target_stream(const json& test_case, const json&) {
    streamed_object object(test_case.at("triggers"));
    const json& watcher = test_case.at("watcher");
    bool is_watched = watcher.value("uid", "u-1") == "u-1" && watcher.value("generation", 1) == 1;
    differences out;
    std::size_t index = 0;
    for (const json& step : test_case.at("steps")) {
        const std::string what = step.at("do");
        bool reconciles = false;
        if (what == "stream" && is_watched) {
            auto specs = gputide::source::external::read_specs(spec_message(step.at("specs")));
            reconciles = object.streams[watcher.value("trigger", std::size_t{0})].take(*std::move(specs));
        } else if (what == "scaler_error") {
            for (auto& stream : object.streams) stream.forget();
        } else if (what == "new_generation") {
            object = streamed_object(test_case.at("triggers"));
            is_watched = false;
        }
        const json& expect = test_case.at("expect").at("steps").at(index);
        const std::string at = "step " + std::to_string(index++);
        expect_equal(out, at + ".hpa", expect.at("hpa"), object.hpa());
        expect_equal(out, at + ".reconciles", expect.at("reconciles"), json(reconciles));
    }
    return out;
}

const registration target_streams{"keda-executor", {"metric_spec_stream"}, &check_target_stream};

}  // namespace
}  // namespace conformance::keda_observed
