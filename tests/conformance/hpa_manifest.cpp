// hpa-behavior, kinds defaults and validate: a behaviour with what the API server fills in, and what it refuses.
#include "config/behavior.hpp"
#include "config/document.hpp"
#include "manifest_text.hpp"
#include "runner.hpp"

#include <algorithm>

namespace conformance {
namespace {

namespace config = gputide::config;

json rules_json(const config::rules_as_written& rules) {
    json policies = json::array();
    for (const config::policy_as_written& one : *rules.policies) {
        policies.push_back({{"type", one.type}, {"value", one.value}, {"periodSeconds", one.period_s}});
    }
    json out{{"stabilizationWindowSeconds", *rules.window_s}, {"selectPolicy", *rules.select}, {"policies", policies}};
    if (rules.tolerance) out["tolerance"] = *rules.tolerance;
    return out;
}

differences check_defaults(const json& one, const json&) {
    differences out;
    const std::string text = json{{"behavior", one.at("behavior")}}.dump();
    config::report findings;
    const std::vector<config::document> documents = config::read_documents("case.json", text, findings);
    config::mapping top({&documents.at(0).root, &documents.at(0).file, ""}, findings);
    json got{{"behavior", nullptr}};
    if (const auto written = top.object("behavior")) {
        const config::behavior_as_written complete =
            config::with_defaults(config::read_behavior(*written, findings), one.value("downscale_window_s", 300));
        got["behavior"] = {{"scaleUp", rules_json(*complete.up)}, {"scaleDown", rules_json(*complete.down)}};
    }
    for (const std::string& message : error_messages(findings)) out.push_back("unexpected error: " + message);
    expect_equal(out, "behavior", one.at("expect").at("behavior"), got.at("behavior"));
    return out;
}

// The cases give {type, target} where the API nests the source under its type's field: {type, external: {metric, target}}.
json nested(const json& metric) {
    const std::string type = metric.value("type", "");
    std::string field = type;
    if (!field.empty()) field[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(field[0])));
    if (field.empty() || metric.contains(field)) return metric;
    json source = json::object();
    json out = json::object();
    for (const auto& [key, value] : metric.items()) (key == "type" ? out : source)[key] = value;
    const bool resource = type == "Resource" || type == "ContainerResource";
    if (resource && !source.contains("name")) source["name"] = "cpu";
    if (!resource && !source.contains("metric")) source["metric"] = {{"name", "case"}};
    if (type == "ContainerResource" && !source.contains("container")) source["container"] = "main";
    if (type == "Object" && !source.contains("describedObject")) {
        source["describedObject"] = {{"apiVersion", "v1"}, {"kind", "Service"}, {"name", "case"}};
    }
    out[field] = source;
    return out;
}

differences check_validate(const json& one, const json&) {
    json spec = one.at("spec");
    if (spec.contains("metrics")) {
        for (json& metric : spec["metrics"]) metric = nested(metric);
    }
    json manifest = horizontal_pod_autoscaler_of(spec);
    if (one.value("scale_to_zero", false)) {
        manifest["metadata"]["annotations"]["gputide.io/hpa-scale-to-zero"] = "true";
    }
    json got = json::array();
    for (const config::finding& found : load_manifest(manifest).report.findings) {
        if (found.severity == config::severity::error) got.push_back(found.at.path + ": " + found.message);
    }
    std::sort(got.begin(), got.end());
    differences out;
    expect_equal(out, "errors", one.at("expect").at("errors"), got);
    return out;
}

const registration defaults{"hpa-behavior", {"defaults"}, &check_defaults};
const registration validate{"hpa-behavior", {"validate"}, &check_validate};

}  // namespace
}  // namespace conformance
