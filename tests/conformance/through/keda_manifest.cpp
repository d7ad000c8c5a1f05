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

json scaled_object(const json& test_case, const json& name, json spec) {
    if (!spec.contains("scaleTargetRef")) spec["scaleTargetRef"] = {{"name", "llm"}};
    return in_namespace("keda.sh/v1alpha1", "ScaledObject", name, std::move(spec),
                        {{"gputide.io/keda-version", test_case.value("keda_version", "2.20")}});
}

json objects_of(const json& test_case) {
    json items = json::array();
    for (const json& other : test_case.value("others", json::array()))
        items.push_back(scaled_object(test_case, other.at("name"), other.at("spec")));
    items.push_back(scaled_object(test_case, "llm", test_case.at("spec")));
    if (has(test_case, "pod")) {
        items.push_back(in_namespace("apps/v1", "Deployment", "llm", {{"template", {{"spec", test_case.at("pod")}}}}));
    }
    if (has(test_case, "limit_range")) {
        json limit = test_case.at("limit_range");
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
differences check(const json& test_case, const json&, c_api& library) {
    const json result = library.result({{"call", "manifest.check"}, {"manifest", objects_of(test_case).dump()}});
    const json findings = json::parse(result.at("report").get<std::string>()).at("report").at("findings");
    const bool refused =
        std::any_of(findings.begin(), findings.end(), [](const json& each) { return each.at("severity") == "error"; });
    const json& expect = test_case.at("expect");
    differences out;
    expect_equal(out, "ok", expect.at("ok"), !refused);
    if (expect.contains("warnings")) expect_equal(out, "warnings", expect.at("warnings"), first_words(findings));
    return out;
}

const registration kinds{"keda-executor", {"admission"}, &check};

}  // namespace
}  // namespace conformance::keda_admission

// Tests what KEDA's webhook accepts and what its annotations mean, each case as a whole manifest: keda-executor (bounds, hpa_bounds,
// annotations), keda-fallback (fallback_valid), keda-prometheus (trigger_auth, trigger_auth_spec).

namespace conformance::keda_manifest {
namespace {

std::string joined(const std::vector<manifest_error>& errors) {
    std::string out;
    for (const manifest_error& error : errors) out += (out.empty() ? "" : "; ") + error.message;
    return out;
}

// ok or not, and the text: `error` is the whole one, `error_contains` a part of it.
differences check_errors(const json& expect, const std::vector<manifest_error>& errors) {
    differences out;
    expect_equal(out, "ok", expect.at("ok"), errors.empty());
    if (!out.empty()) out.push_back("errors: " + joined(errors));
    // KEDA stops at its first error, a loading goes on to the next ones.
    if (expect.contains("error")) {
        expect_equal(out, "error", expect.at("error"), errors.empty() ? "" : errors.front().message);
    }
    if (expect.contains("error_contains")) {
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), joined(errors));
    }
    return out;
}

differences check_bounds(const json& test_case, const json&, c_api& library) {
    return check_errors(test_case.at("expect"), errors_of(library, scaled_object_of(test_case.at("spec"))));
}

json described_policy(c_api& library, const json& manifest) {
    const json result =
        library.last_result({open_policy_call(manifest), {{"call", "policy.describe"}, {"policy", "policy"}}});
    return json::parse(worked(result).at("json").get<std::string>());
}

differences check_hpa_bounds(const json& test_case, const json&, c_api& library) {
    const json bounds = described_policy(library, scaled_object_of(test_case.at("spec"))).at("hpa");
    differences out;
    expect_equal(out, "hpa_min", test_case.at("expect").at("hpa_min"), bounds.at("minReplicas"));
    expect_equal(out, "hpa_max", test_case.at("expect").at("hpa_max"), bounds.at("maxReplicas"));
    return out;
}

differences check_annotations(const json& test_case, const json&, c_api& library) {
    const json manifest = scaled_object_of(json::object(), test_case.at("annotations"));
    const json pause = described_policy(library, manifest).at("pause");
    const json actual{{"paused", pause.at("paused")},
                      {"has_paused_annotation", pause.at("hasPausedAnnotation")},
                      {"paused_scale_in", pause.at("pausedScaleIn")},
                      {"paused_scale_out", pause.at("pausedScaleOut")},
                      {"force_activation", pause.at("forceActivation")}};
    differences out;
    for (const auto& [member, value] : test_case.at("expect").items()) {
        if (actual.contains(member)) expect_equal(out, member, value, actual.at(member));
    }
    return out;
}

// The admission check of the fallback alone: a formula without a target, say, is another one's finding.
differences check_fallback_valid(const json& test_case, const json&, c_api& library) {
    json spec = test_case.at("spec");
    if (spec.contains("scalingModifiers")) {
        spec["advanced"]["scalingModifiers"] = spec["scalingModifiers"];
        spec.erase("scalingModifiers");
    }
    std::vector<manifest_error> errors = errors_of(library, scaled_object_of(spec));
    std::erase_if(errors, [](const manifest_error& found) { return found.code != "incorrect-fallback"; });
    return check_errors(test_case.at("expect"), errors);
}

differences check_authentication(const json& test_case, const json& spec, c_api& library) {
    const json authentication{{"apiVersion", "keda.sh/v1alpha1"},
                              {"kind", "TriggerAuthentication"},
                              {"metadata", {{"name", "case"}}},
                              {"spec", spec}};
    const json both{
        {"apiVersion", "v1"}, {"kind", "List"}, {"items", {scaled_object_of(json::object()), authentication}}};
    return check_errors(test_case.at("expect"), errors_of(library, both));
}

differences check_trigger_auth(const json& test_case, const json&, c_api& library) {
    return check_authentication(test_case, {{"podIdentity", test_case.at("podIdentity")}}, library);
}

differences check_trigger_auth_spec(const json& test_case, const json&, c_api& library) {
    return check_authentication(test_case, test_case.at("spec"), library);
}

const registration bounds{"keda-executor", {"bounds"}, &check_bounds};
const registration hpa_bounds{"keda-executor", {"hpa_bounds"}, &check_hpa_bounds};
const registration annotations{"keda-executor", {"annotations"}, &check_annotations};
const registration fallback_valid{"keda-fallback", {"fallback_valid"}, &check_fallback_valid};
const registration trigger_auth{"keda-prometheus", {"trigger_auth"}, &check_trigger_auth};
const registration trigger_auth_spec{"keda-prometheus", {"trigger_auth_spec"}, &check_trigger_auth_spec};

}  // namespace
}  // namespace conformance::keda_manifest
