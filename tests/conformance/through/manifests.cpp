#include "through/manifests.hpp"

#include "gputide/gputide.h"

#include <stdexcept>

namespace conformance {
namespace {

const json workload = {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", "workload"}};

json object_of(const char* version, const char* kind, json spec, const json& annotations) {
    if (!spec.contains("scaleTargetRef")) spec["scaleTargetRef"] = workload;
    return {{"apiVersion", version},
            {"kind", kind},
            {"metadata", {{"name", "case"}, {"annotations", annotations}}},
            {"spec", std::move(spec)}};
}

}  // namespace

json scaled_object_of(json spec, const json& annotations) {
    if (!spec.contains("triggers")) {
        spec["triggers"] = json::array({{{"type", "values"}, {"metadata", {{"threshold", "1"}}}}});
    }
    for (json& trigger : spec["triggers"]) {
        if (!trigger.contains("metadata")) trigger["metadata"] = json::object();
    }
    return object_of("keda.sh/v1alpha1", "ScaledObject", std::move(spec), annotations);
}

json horizontal_pod_autoscaler_of(json spec, const json& annotations) {
    return object_of("autoscaling/v2", "HorizontalPodAutoscaler", std::move(spec), annotations);
}

std::vector<manifest_error> errors_of(door& library, const json& manifest) {
    const json result = library.result({{"call", "manifest.check"}, {"manifest", manifest.dump()}});
    if (!result.contains("report")) throw std::runtime_error(message_of(result));
    std::vector<manifest_error> out;
    const json report = json::parse(result.at("report").get<std::string>());
    for (const json& finding : report.at("report").at("findings")) {
        if (finding.at("severity") != "error") continue;
        out.push_back({finding.at("code"), finding.value("path", ""), finding.at("message")});
    }
    return out;
}

double number_of(const json& quantity) {
    if (!quantity.is_string()) return quantity.get<double>();
    const auto text = quantity.get<std::string>();
    const double value = std::stod(text);
    return text.back() == 'm' ? value / 1000 : value;
}

std::string quantity_of(const json& number) { return number.is_string() ? number.get<std::string>() : number.dump(); }

std::string quantity_text(std::int64_t milli) { return std::to_string(milli) + "m"; }

bool has(const json& one, const char* member) { return one.contains(member) && !one.at(member).is_null(); }

json open_policy_call(const json& manifest, std::uint32_t flags) {
    json out = {{"call", "policy.open"}, {"as", "policy"}, {"text", manifest.dump()}};
    if (flags != 0) out["options"]["flags"] = flags;
    return out;
}

json new_state_call(std::int64_t created_ms) {
    json out = {{"call", "state.new"}, {"as", "state"}, {"policy", "policy"}};
    if (created_ms != 0) out["created_ms"] = created_ms;
    return out;
}

json decide_call(const json& seen, const std::string& name) {
    return {{"call", "decide"}, {"as", name}, {"state", "state"}, {"seen", seen}, {"report", true}};
}

json load_state_call(const json& state) {
    return {{"call", "state.load"},
            {"as", "state"},
            {"policy", "policy"},
            {"text", state.dump()},
            {"flags", GPUTIDE_STATE_UNCHECKED}};
}

json describe_state_call() { return {{"call", "state.describe"}, {"state", "state"}}; }

json described_state(const json& result) { return json::parse(worked(result).at("json").get<std::string>()); }

json record_call(const std::string& decision, std::int64_t now_ms, bool applied) {
    return {{"call", "state.record"},
            {"state", "state"},
            {"decision", decision},
            {"applied", applied ? 1 : 0},
            {"now_ms", now_ms}};
}

std::string message_of(const json& result) {
    if (result.contains("missing")) return result.at("missing").get<std::string>() + ": was not opened";
    return result.contains("error") ? result.at("error").at("message").get<std::string>() : std::string();
}

const json& worked(const json& result) {
    if (const std::string message = message_of(result); !message.empty()) throw std::runtime_error(message);
    return result;
}

json step_in(const json& report, const char* name) {
    for (const json& step : report.at("trace")) {
        if (step.at("step") == name) return step;
    }
    return {};
}

json failed_sample() { return {{"state", GPUTIDE_SAMPLE_FAILED}, {"status", GPUTIDE_E_UNAVAILABLE}}; }

json report_of(const json& result) { return json::parse(worked(result).at("report").get<std::string>()); }

}  // namespace conformance
