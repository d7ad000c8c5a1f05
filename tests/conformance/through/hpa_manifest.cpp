// hpa-behavior, kinds defaults and validate: a behaviour with what the API server fills in, and what it refuses.
#include "through/hpa.hpp"
#include "through/manifests.hpp"

#include <algorithm>
#include <cctype>

namespace conformance::hpa_manifest {
namespace {

// A described behaviour has each default filled in, the tolerance too, where the cases leave it out.
json with_tolerances(json behavior) {
    if (!behavior.is_object()) return behavior;
    for (json& rules : behavior) {
        rules["tolerance"] = rules.contains("tolerance") ? json(number_of(rules.at("tolerance"))) : json(0.1);
    }
    return behavior;
}

differences check_defaults(const json& one, const json&, door& library) {
    json spec = {{"maxReplicas", 10}};
    if (!one.at("behavior").is_null()) spec["behavior"] = one.at("behavior");
    const json described =
        library.last_result({open_policy_call(horizontal_pod_autoscaler_of(spec, hpa_annotations_of(one))),
                             {{"call", "policy.describe"}, {"policy", "policy"}}});
    differences out;
    expect_equal(out, "behavior", with_tolerances(one.at("expect").at("behavior")),
                 json::parse(worked(described).at("json").get<std::string>()).at("behavior"));
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

differences check_validate(const json& one, const json&, door& library) {
    json spec = one.at("spec");
    if (spec.contains("metrics")) {
        for (json& metric : spec["metrics"]) metric = nested(metric);
    }
    const json annotations = {{"gputide.io/hpa-scale-to-zero", one.value("scale_to_zero", false) ? "true" : "false"}};
    json errors = json::array();
    for (const manifest_error& found : errors_of(library, horizontal_pod_autoscaler_of(spec, annotations)))
        errors.push_back(found.path + ": " + found.message);
    std::sort(errors.begin(), errors.end());
    differences out;
    expect_equal(out, "errors", one.at("expect").at("errors"), errors);
    return out;
}

const registration defaults{"hpa-behavior", {"defaults"}, &check_defaults, &reach_of_settings};
const registration validate{"hpa-behavior", {"validate"}, &check_validate};

}  // namespace
}  // namespace conformance::hpa_manifest
