// Manifests in pieces, and what the tests ask of a loading.
#pragma once

#include "auth/open.hpp"
#include "manifest/load.hpp"
#include "source/description.hpp"

#include <map>
#include <string>
#include <string_view>

namespace config_test {

namespace manifest = gputide::manifest;
namespace text = gputide::text;

// A host that allows nothing and knows every kind.
inline manifest::surroundings usual_host() {
    manifest::surroundings out;
    out.kinds = {gputide::source::trigger_kinds(), gputide::auth::identity_kinds()};
    return out;
}

// A host that allows the environment, with these variables.
inline manifest::surroundings host_with(std::map<std::string, std::string> variables) {
    manifest::surroundings out = usual_host();
    out.environment = [variables](const std::string& name) -> std::optional<std::string> {
        const auto at = variables.find(name);
        if (at == variables.end()) return std::nullopt;
        return at->second;
    };
    return out;
}

inline manifest::loaded load(std::string_view text, const manifest::surroundings& host = usual_host()) {
    return manifest::load({{"so.yaml", text}}, host);
}

// The findings as text, one a line: what a failing test shows, and what a passing one looks into.
inline std::string found(const manifest::loaded& from) { return text::render(from.report); }

// A ScaledObject of ten lines; `more` is put below spec (indented by two), `annotations` below annotations (by four).
inline std::string scaled_object(std::string_view more = {}, std::string_view annotations = {}) {
    std::string out = "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata:\n  name: gpu\n";
    if (!annotations.empty()) out += "  annotations:\n" + std::string(annotations);
    out += "spec:\n  scaleTargetRef:\n    name: worker\n";
    if (more.find("triggers:") == std::string_view::npos) {
        out += "  triggers:\n  - type: prometheus\n    metadata:\n      query: up\n";
    }
    return out + std::string(more);
}

inline std::string hpa(std::string_view more, std::string_view annotations = {}, std::string_view version = "v2") {
    std::string out =
        "apiVersion: autoscaling/" + std::string(version) + "\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: gpu\n";
    if (!annotations.empty()) out += "  annotations:\n" + std::string(annotations);
    out += "spec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: worker}\n";
    if (more.find("maxReplicas:") == std::string_view::npos) out += "  maxReplicas: 9\n";
    return out + std::string(more);
}

}  // namespace config_test
