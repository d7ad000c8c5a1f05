// keda-executor, kinds hpa_bounds and annotations: what a manifest's bounds and annotations mean.
#include "config/scaled_object.hpp"
#include "frame/check.hpp"
#include "inside/manifest_text.hpp"

namespace conformance {
namespace {

namespace config = gputide::config;

std::string joined(const std::vector<std::string>& messages) {
    std::string out;
    for (const std::string& message : messages) out += (out.empty() ? "" : "; ") + message;
    return out;
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
    const config::pause& pause = got.specs.front().scaling.pause;
    differences out;
    const json seen{{"paused", pause.paused},
                    {"has_paused_annotation", pause.annotated},
                    {"paused_scale_in", pause.scale_in},
                    {"paused_scale_out", pause.scale_out},
                    {"force_activation", pause.force_activation}};
    for (const auto& [field, value] : expect.items()) {
        if (seen.contains(field)) expect_equal(out, field, value, seen.at(field));
    }
    return out;
}

const registration hpa_bounds{"keda-executor", {"hpa_bounds"}, &check_hpa_bounds};
const registration annotations{"keda-executor", {"annotations"}, &check_annotations};

}  // namespace
}  // namespace conformance
