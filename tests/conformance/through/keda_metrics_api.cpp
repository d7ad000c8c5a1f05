// keda-prometheus, kind metrics_api_parse: whether a metrics-api trigger is accepted, as part of a whole manifest that names the
// release.  In the strict profile.
#include "through/manifests.hpp"
#include "through/triggers.hpp"

namespace conformance::keda_metrics_api {
namespace {

differences check_parse(const json& one, const json&, door& library) {
    const written_trigger written =
        trigger_of("metrics-api", one.value("metadata", json::object()), one.value("authParams", json::object()));
    const json annotations = {{"gputide.io/profile", "strict"},
                              {"gputide.io/keda-version", one.value("keda_version", "2.21")}};
    json items = {scaled_object_of({{"triggers", {written.trigger}}}, annotations)};
    for (const json& file : written.files) items.push_back(json::parse(file.at("text").get<std::string>()));
    const std::vector<manifest_error> errors =
        errors_of(library, {{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}});
    differences out;
    expect_equal(out, "ok", one.at("expect").at("ok"), errors.empty());
    if (!errors.empty() && !out.empty()) out.push_back("the error: " + errors.front().message);
    return out;
}

const registration parsing{"keda-prometheus", {"metrics_api_parse"}, &check_parse};

}  // namespace
}  // namespace conformance::keda_metrics_api
