#include "manifest_text.hpp"

namespace conformance {
namespace {

json object_of(const std::string& version, const std::string& kind, json spec, const json& annotations) {
    return {{"apiVersion", version},
            {"kind", kind},
            {"metadata", {{"name", "case"}, {"annotations", annotations}}},
            {"spec", std::move(spec)}};
}

const json workload = {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", "workload"}};

}  // namespace

json scaled_object_of(json spec, const json& annotations) {
    if (!spec.contains("scaleTargetRef")) spec["scaleTargetRef"] = workload;
    if (!spec.contains("triggers")) spec["triggers"] = json::array({{{"type", "prometheus"}}});
    for (json& trigger : spec["triggers"]) {
        if (!trigger.contains("metadata")) trigger["metadata"] = json::object();
    }
    return object_of("keda.sh/v1alpha1", "ScaledObject", std::move(spec), annotations);
}

json horizontal_pod_autoscaler_of(json spec) {
    if (!spec.contains("scaleTargetRef")) spec["scaleTargetRef"] = workload;
    return object_of("autoscaling/v2", "HorizontalPodAutoscaler", std::move(spec), json::object());
}

gputide::config::loaded load_manifest(const json& manifest) {
    const std::string text = manifest.dump();
    return gputide::config::load({{"case.json", text}}, {});
}

std::vector<std::string> error_messages(const gputide::config::report& from, std::string_view code) {
    std::vector<std::string> out;
    for (const gputide::config::finding& one : from.findings) {
        if (one.severity != gputide::config::severity::error) continue;
        if (code.empty() || one.code == code) out.push_back(one.message);
    }
    return out;
}

}  // namespace conformance
