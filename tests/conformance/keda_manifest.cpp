// What KEDA's webhook accepts and what its annotations mean, each case as a whole manifest: keda-executor (bounds,
// hpa_bounds, annotations), keda-fallback (fallback_valid), keda-prometheus (trigger_auth).
#include "config/scaled_object.hpp"
#include "manifest_text.hpp"
#include "runner.hpp"

namespace conformance {
namespace {

namespace config = gputide::config;

std::string joined(const std::vector<std::string>& messages) {
    std::string out;
    for (const std::string& message : messages) out += (out.empty() ? "" : "; ") + message;
    return out;
}

// ok or not, and the text: `error` is the whole one, `error_contains` a part of it.
differences check_messages(const json& expect, const std::vector<std::string>& messages) {
    differences out;
    expect_equal(out, "ok", expect.at("ok"), messages.empty());
    if (!out.empty()) out.push_back("errors: " + joined(messages));
    // KEDA stops at its first error, a loading goes on to the next ones.
    if (expect.contains("error")) {
        expect_equal(out, "error", expect.at("error"), messages.empty() ? "" : messages.front());
    }
    if (expect.contains("error_contains")) {
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), joined(messages));
    }
    return out;
}

differences check_bounds(const json& one, const json&) {
    const config::loaded got = load_manifest(scaled_object_of(one.at("spec")));
    return check_messages(one.at("expect"), error_messages(got.report));
}

differences check_hpa_bounds(const json& one, const json&) {
    const config::loaded got = load_manifest(scaled_object_of(one.at("spec")));
    if (got.specs.size() != 1) return {"expected a spec, got: " + joined(error_messages(got.report))};
    differences out;
    expect_equal(out, "hpa_min", one.at("expect").at("hpa_min"), got.specs.front().scaling.hpa_min());
    expect_equal(out, "hpa_max", one.at("expect").at("hpa_max"), got.specs.front().scaling.max);
    return out;
}

differences check_annotations(const json& one, const json&) {
    const config::loaded got = load_manifest(scaled_object_of(json::object(), one.at("annotations")));
    if (got.specs.size() != 1) return {"expected a spec, got: " + joined(error_messages(got.report))};
    const json& expect = one.at("expect");
    const auto annotations = one.at("annotations").get<config::texts>();
    const config::pause& pause = got.specs.front().scaling.pause;
    differences out;
    const json seen{{"paused", pause.paused},
                    {"has_paused_annotation", config::has_pause_annotation(annotations)},
                    {"paused_scale_in", pause.scale_in},
                    {"paused_scale_out", pause.scale_out},
                    {"force_activation", pause.force_activation}};
    for (const auto& [field, value] : expect.items()) {
        if (seen.contains(field)) expect_equal(out, field, value, seen.at(field));
    }
    return out;
}

// The admission check of the fallback alone: a formula without a target, say, is another one's finding.
differences check_fallback_valid(const json& one, const json&) {
    json spec = one.at("spec");
    if (spec.contains("scalingModifiers")) {
        spec["advanced"]["scalingModifiers"] = spec["scalingModifiers"];
        spec.erase("scalingModifiers");
    }
    const config::loaded got = load_manifest(scaled_object_of(spec));
    return check_messages(one.at("expect"), error_messages(got.report, "incorrect-fallback"));
}

differences check_trigger_auth(const json& one, const json&) {
    const json authentication{{"apiVersion", "keda.sh/v1alpha1"},
                              {"kind", "TriggerAuthentication"},
                              {"metadata", {{"name", "case"}}},
                              {"spec", {{"podIdentity", one.at("podIdentity")}}}};
    const json both{
        {"apiVersion", "v1"}, {"kind", "List"}, {"items", {scaled_object_of(json::object()), authentication}}};
    return check_messages(one.at("expect"), error_messages(load_manifest(both).report));
}

const registration bounds{"keda-executor", {"bounds"}, &check_bounds};
const registration hpa_bounds{"keda-executor", {"hpa_bounds"}, &check_hpa_bounds};
const registration annotations{"keda-executor", {"annotations"}, &check_annotations};
const registration fallback_valid{"keda-fallback", {"fallback_valid"}, &check_fallback_valid};
const registration trigger_auth{"keda-prometheus", {"trigger_auth"}, &check_trigger_auth};

}  // namespace
}  // namespace conformance
