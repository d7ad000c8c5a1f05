// keda-executor, kind admission: a ScaledObject beside its Deployment, LimitRange and the other ScaledObjects of its namespace, as
// `gputided check` reads them.
#include "through/manifests.hpp"

#include <algorithm>

namespace conformance::keda_admission {
namespace {

json in_namespace(const char* version, const char* kind, const json& name, json spec,
                  json annotations = json::object()) {
    return {{"apiVersion", version},
            {"kind", kind},
            {"metadata", {{"name", name}, {"namespace", "ml"}, {"annotations", std::move(annotations)}}},
            {"spec", std::move(spec)}};
}

json scaled_object(const json& one, const json& name, json spec) {
    if (!spec.contains("scaleTargetRef")) spec["scaleTargetRef"] = {{"name", "llm"}};
    return in_namespace("keda.sh/v1alpha1", "ScaledObject", name, std::move(spec),
                        {{"gputide.io/keda-version", one.value("keda_version", "2.20")}});
}

json objects_of(const json& one) {
    json items = json::array();
    for (const json& other : one.value("others", json::array()))
        items.push_back(scaled_object(one, other.at("name"), other.at("spec")));
    items.push_back(scaled_object(one, "llm", one.at("spec")));
    if (has(one, "pod")) {
        items.push_back(in_namespace("apps/v1", "Deployment", "llm", {{"template", {{"spec", one.at("pod")}}}}));
    }
    if (has(one, "limit_range")) {
        json limit = one.at("limit_range");
        limit["type"] = "Container";
        items.push_back(in_namespace("v1", "LimitRange", "limits", {{"limits", json::array({limit})}}));
    }
    return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}};
}

json first_words(const json& findings) {
    std::vector<std::string> out;
    for (const json& finding : findings) {
        if (finding.at("severity") != "warning" || finding.at("code") != "not-relevant") continue;
        const auto message = finding.at("message").get<std::string>();
        out.push_back(message.substr(0, message.find(' ')));
    }
    std::sort(out.begin(), out.end());
    return out;
}

// Which of several errors KEDA names is a matter of its order, so that a text is not compared.
differences check(const json& one, const json&, door& library) {
    const json result = library.result({{"call", "manifest.check"}, {"manifest", objects_of(one).dump()}});
    const json findings = json::parse(result.at("report").get<std::string>()).at("report").at("findings");
    const bool refused =
        std::any_of(findings.begin(), findings.end(), [](const json& each) { return each.at("severity") == "error"; });
    const json& expect = one.at("expect");
    differences out;
    expect_equal(out, "ok", expect.at("ok"), !refused);
    if (expect.contains("warnings")) expect_equal(out, "warnings", expect.at("warnings"), first_words(findings));
    return out;
}

const registration kinds{"keda-executor", {"admission"}, &check};

}  // namespace
}  // namespace conformance::keda_admission
