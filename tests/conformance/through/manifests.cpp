#include "through/manifests.hpp"

#include "gputide/gputide.h"
#include "protocol/structs.hpp"

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

std::vector<manifest_error> errors_of(c_api& library, const json& manifest) {
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

bool has(const json& object, const char* member) { return object.contains(member) && !object.at(member).is_null(); }

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

namespace {

constexpr std::int64_t now_ms = 1'800'000'000'000;

json named(const char* kind, const char* version) {
    return {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", "case"}}}};
}

// The words of the cases for what gputide_source_describe says: KEDA's own for each setting.
json parsed_of(const json& described) {
    const json& settings = described.at("settings");
    json out = settings;
    out["threshold"] = described.at("target").at("threshold");
    out["activationThreshold"] = described.at("target").at("activation_threshold");
    out["timeoutMs"] = settings.value("timeout", json(0));
    out["unsafeSsl"] = settings.value("unsafeSsl", json(false));
    out["authModes"] = settings.value("authModes", json::array());
    return out;
}

}  // namespace

written_trigger trigger_of(const std::string& type, const json& metadata, const json& auth_parameters,
                           const std::string& provider) {
    written_trigger out;
    out.trigger = {{"type", type}, {"metadata", metadata}};
    if (auth_parameters.empty() && provider.empty()) return out;
    out.trigger["authenticationRef"] = {{"name", "case"}};
    json authentication = named("TriggerAuthentication", "keda.sh/v1alpha1");
    json secret = named("Secret", "v1");
    authentication["spec"] = json::object();
    for (const auto& [parameter, value] : auth_parameters.items()) {
        authentication["spec"]["secretTargetRef"].push_back(
            {{"parameter", parameter}, {"name", "case"}, {"key", parameter}});
        secret["stringData"][parameter] = value;
    }
    if (!provider.empty()) authentication["spec"]["podIdentity"] = {{"provider", provider}};
    for (const json& document : {authentication, secret}) out.files.push_back({{"text", document.dump()}});
    return out;
}

bool can_open(const json& test_case) {
    if (!test_case.value("podIdentityProvider", "").empty()) return false;
    const json metadata = test_case.value("metadata", json::object());  // items() borrows it
    for (const auto& [key, value] : metadata.items()) {
        if (key.ends_with("FromEnv")) return false;
    }
    return true;
}

json open_source_call(const written_trigger& written, std::uint32_t flags) {
    return {{"call", "source.open"},
            {"as", "source"},
            {"text", written.trigger.dump()},
            {"options", {{"flags", flags | GPUTIDE_ALLOW_PLAIN_HTTP}, {"files", written.files}}}};
}

// At a minimum of 1 the HPA half runs also where the trigger is not active.
judged judge_sample(c_api& library, const written_trigger& written, std::uint32_t flags, const json& sample) {
    const json spec = {{"minReplicaCount", 1}, {"triggers", {written.trigger}}};
    json open = open_policy_call(scaled_object_of(spec), flags);
    open["options"]["files"] = written.files;
    const json result = library.last_result(
        {open, new_state_call(), decide_call({{"now_ms", now_ms}, {"current_replicas", 1}, {"samples", {sample}}})});
    const auto decided = worked(result).at("decision").at("flags").get<std::uint32_t>();
    return {(decided & GPUTIDE_DECIDED_ACTIVE) != 0, step_in(report_of(result), "metric").value("usage_milli", json())};
}

reading parse_answer(c_api& library, const written_trigger& written, std::uint32_t flags, std::int32_t http_status,
                     const std::string& body) {
    const json results = library.results(
        {open_source_call(written, flags),
         {{"call", "source.parse"}, {"source", "source"}, {"http_status", http_status}, {"body", json_text(body)}}});
    if (!message_of(results[0]).empty()) throw std::runtime_error("the trigger was refused: " + message_of(results[0]));
    reading out{.message = message_of(results[1])};
    if (!out.message.empty()) return out;
    const json& sample = results[1].at("sample");
    const judged decided = judge_sample(library, written, flags, sample);
    out.value = real_in(sample.at("value"));
    out.active = decided.active;
    out.milli = decided.milli;
    return out;
}

differences compare_reading(const json& expect, const reading& came) {
    const bool failed = !came.message.empty();
    differences out;
    expect_equal(out, "error", expect.at("error"), failed);
    if (failed && expect.contains("error_contains"))
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), came.message);
    if (expect.contains("active")) expect_equal(out, "active", expect.at("active"), came.active);
    if (failed) return out;
    if (expect.contains("value")) expect_equal(out, "value", expect.at("value"), came.value);
    if (expect.contains("metric_milli")) {
        const json milli = came.milli.is_null() ? json() : json(std::to_string(integer_in(came.milli)));
        expect_equal(out, "metric_milli", expect.at("metric_milli"), milli);
    }
    return out;
}

differences compare_opening(const json& expect, const std::string& message) {
    if (expect.at("ok") == message.empty()) {
        differences out;
        if (!message.empty() && expect.contains("error_contains"))
            expect_contains(out, "error", expect.at("error_contains").get<std::string>(), message);
        return out;
    }
    return {message.empty() ? "expected an error, got success" : "expected success, got the error: " + message};
}

differences check_opening(c_api& library, const written_trigger& written, const json& expect) {
    const json results = library.results(
        {open_source_call(written, GPUTIDE_STRICT), {{"call", "source.describe"}, {"source", "source"}}});
    differences out = compare_opening(expect, message_of(results[0]));
    if (!out.empty() || !message_of(results[0]).empty()) return out;
    const json described = json::parse(worked(results[1]).at("json").get<std::string>());
    if (expect.contains("metric_name"))
        expect_equal(out, "metric_name", expect.at("metric_name"), described.at("metric_name"));
    expect_equal(out, "parsed", expect.value("parsed", json::object()), parsed_of(described), {.subset = true});
    return out;
}

}  // namespace conformance
