// What KEDA's webhook accepts, each case as a whole manifest: keda-executor (bounds), keda-fallback (fallback_valid),
// keda-prometheus (trigger_auth).
#include "through/manifests.hpp"

namespace conformance {
namespace {

std::string joined(const std::vector<manifest_error>& errors) {
    std::string out;
    for (const manifest_error& one : errors) out += (out.empty() ? "" : "; ") + one.message;
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

differences check_bounds(const json& one, const json&, door& library) {
    return check_errors(one.at("expect"), errors_of(library, scaled_object_of(one.at("spec"))));
}

// The admission check of the fallback alone: a formula without a target, say, is another one's finding.
differences check_fallback_valid(const json& one, const json&, door& library) {
    json spec = one.at("spec");
    if (spec.contains("scalingModifiers")) {
        spec["advanced"]["scalingModifiers"] = spec["scalingModifiers"];
        spec.erase("scalingModifiers");
    }
    std::vector<manifest_error> errors = errors_of(library, scaled_object_of(spec));
    std::erase_if(errors, [](const manifest_error& found) { return found.code != "incorrect-fallback"; });
    return check_errors(one.at("expect"), errors);
}

differences check_trigger_auth(const json& one, const json&, door& library) {
    const json authentication{{"apiVersion", "keda.sh/v1alpha1"},
                              {"kind", "TriggerAuthentication"},
                              {"metadata", {{"name", "case"}}},
                              {"spec", {{"podIdentity", one.at("podIdentity")}}}};
    const json both{
        {"apiVersion", "v1"}, {"kind", "List"}, {"items", {scaled_object_of(json::object()), authentication}}};
    return check_errors(one.at("expect"), errors_of(library, both));
}

const registration bounds{"keda-executor", {"bounds"}, &check_bounds};
const registration fallback_valid{"keda-fallback", {"fallback_valid"}, &check_fallback_valid};
const registration trigger_auth{"keda-prometheus", {"trigger_auth"}, &check_trigger_auth};

}  // namespace
}  // namespace conformance
