// hpa-multimetric, kind passes: when an HPA is looked at.  A second of the case is a decision; what changes an object opens its manifest
// again and goes on with the saved state, as a host does.  A new object has another creationTimestamp.
#include "gputide/gputide.h"
#include "through/hpa.hpp"
#include "through/manifests.hpp"

#include <iomanip>
#include <sstream>

namespace conformance::hpa_passes {
namespace {

struct object {
    std::int64_t created_s = 0;
    int specs = 0;     // how often its spec was changed
    int statuses = 0;  // and anything else of it
};

std::string timestamp(std::int64_t at_s) {
    const std::time_t at = hpa_now_ms / 1000 + at_s;
    std::tm fields{};
    gmtime_r(&at, &fields);
    std::ostringstream out;
    out << std::put_time(&fields, "%Y-%m-%dT%H:%M:%SZ");
    return out.str();
}

json manifest_of(const json& one, const object& at) {
    constexpr int max_replicas = 10;
    const json annotations = {{"gputide.io/sync-period", one.at("resync_s").dump() + "s"},
                              {"gputide.io/hpa-version", hpa_version_of(one)},
                              {"example.com/status", std::to_string(at.statuses)}};
    const json metric = manifest_metric({.type = "External", .target = average_target(5000)});
    json out = horizontal_pod_autoscaler_of(
        {{"minReplicas", 1}, {"maxReplicas", max_replicas + at.specs}, {"metrics", {metric}}}, annotations);
    out["metadata"]["creationTimestamp"] = timestamp(at.created_s);
    return out;
}

// Decides each second from `from_s` to before `to_s`; returns the saved state, and adds the seconds at which the HPA half ran.
std::string run(const json& manifest, const std::string& state, std::int64_t from_s, std::int64_t to_s, json& passes,
                door& library) {
    json calls = {open_policy_call(manifest)};
    calls.push_back(state.empty()
                        ? new_state_call()
                        : json{{"call", "state.load"}, {"as", "state"}, {"policy", "policy"}, {"text", state}});
    const std::size_t before = calls.size();
    for (std::int64_t at_s = from_s; at_s < to_s; ++at_s) {
        calls.push_back(decide_call(
            {{"now_ms", hpa_now_ms + at_s * 1000}, {"current_replicas", 2}, {"samples", {milli_sample(10'000)}}}));
    }
    calls.push_back({{"call", "state.save"}, {"policy", "policy"}, {"state", "state"}});
    const json results = library.results(calls);
    for (std::size_t i = before; i + 1 < results.size(); ++i) {
        const auto flags = worked(results[i]).at("decision").at("flags").get<std::uint32_t>();
        if ((flags & GPUTIDE_DECIDED_HPA) != 0) passes.push_back(from_s + static_cast<std::int64_t>(i - before));
    }
    return worked(results.back()).at("text").get<std::string>();
}

void apply(const json& step, object& at) {
    const std::string what = step.at("do");
    if (what == "create") at = {step.at("t").get<std::int64_t>(), 0, 0};
    if (what == "spec") ++at.specs;
    if (what == "status") ++at.statuses;
}

differences check(const json& one, const json&, door& library) {
    json passes = json::array();
    object at;
    std::string state;
    bool exists = false;
    const json& steps = one.at("steps");
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
        apply(steps[i], at);
        exists = steps[i].at("do") != "delete" && (exists || steps[i].at("do") == "create");
        if (exists) {
            state = run(manifest_of(one, at), state, steps[i].at("t").get<std::int64_t>(),
                        steps[i + 1].at("t").get<std::int64_t>(), passes, library);
        }
    }
    differences out;
    expect_equal(out, "passes_s", one.at("expect").at("passes_s"), passes);
    return out;
}

const registration kinds{"hpa-multimetric", {"passes"}, &check};

}  // namespace
}  // namespace conformance::hpa_passes
