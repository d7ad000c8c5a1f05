#include "through/hpa.hpp"

#include "gputide/source.h"
#include "through/manifests.hpp"

#include <cctype>
#include <cmath>

namespace conformance {
namespace {

json seconds_text(const json& seconds) { return seconds.dump() + "s"; }

int phase_of(const std::string& word) {
    if (word == "Running") return GPUTIDE_POD_RUNNING;
    if (word == "Pending") return GPUTIDE_POD_PENDING;
    if (word == "Succeeded") return GPUTIDE_POD_SUCCEEDED;
    return word == "Failed" ? GPUTIDE_POD_FAILED : GPUTIDE_POD_UNKNOWN;
}

int readiness_of(const json& pod) {
    if (!pod.contains("ready")) return GPUTIDE_READY_YES;
    if (pod.at("ready").is_null()) return GPUTIDE_READY_NO_CONDITION;
    return pod.at("ready").get<bool>() ? GPUTIDE_READY_YES : GPUTIDE_READY_NO;
}

json start_of(const json& pod) { return pod.contains("start_age_s") ? pod.at("start_age_s") : json(3600); }
json ready_of(const json& pod) { return pod.contains("ready_age_s") ? pod.at("ready_age_s") : start_of(pod); }

}  // namespace

std::int64_t ms_ago(const json& age_s) {
    if (age_s.is_number_integer()) return hpa_now_ms - age_s.get<std::int64_t>() * 1000;
    return hpa_now_ms - static_cast<std::int64_t>(age_s.get<double>() * 1000);
}

std::string hpa_version_of(const json& object) {
    if (object.contains("kubernetes")) return object.at("kubernetes");
    const std::string zero_mode = object.value("zero_mode", "");
    const bool by_minimum = zero_mode == "legacy" || (zero_mode.empty() && object.value("min", 1) == 0);
    return by_minimum ? "1.35" : "1.38";
}

json hpa_gate_of(const json& object) {
    if (object.contains("hpa_scale_to_zero")) return object.at("hpa_scale_to_zero");
    if (object.contains("kubernetes")) return nullptr;
    return object.value("min", 1) == 0 || object.value("zero_mode", "") == "condition";
}

json hpa_annotations_of(const json& object) {
    json out = {{"gputide.io/sync-period", "0s"}, {"gputide.io/hpa-version", hpa_version_of(object)}};
    if (const json gate = hpa_gate_of(object); gate.is_boolean()) out["gputide.io/hpa-scale-to-zero"] = gate.dump();
    const auto set = [&](const char* member, const char* annotation) {
        if (has(object, member)) out[annotation] = seconds_text(object.at(member));
    };
    set("downscale_window_s", "gputide.io/downscale-stabilization");
    set("cpu_init_period_s", "gputide.io/cpu-initialization-period");
    set("initial_readiness_delay_s", "gputide.io/initial-readiness-delay");
    return out;
}

void allow_zero(json& annotations) {
    annotations["gputide.io/hpa-version"] = "1.35";
    annotations["gputide.io/hpa-scale-to-zero"] = "true";
}

reach reach_of_settings(const json& test_case) {
    const bool own_limit = has(test_case, "legacy_up_factor") || has(test_case, "legacy_up_min");
    return own_limit ? reach::none : reach::whole;
}

json manifest_metric(const hpa_metric& metric) {
    json source = {{"target", metric.target}};
    const bool resource = metric.type == "Resource" || metric.type == "ContainerResource";
    if (resource) {
        source["name"] = metric.resource;
    } else {
        source["metric"] = {{"name", metric.name}};
    }
    if (metric.type == "ContainerResource") source["container"] = metric.container;
    if (metric.type == "Object")
        source["describedObject"] = {{"apiVersion", "v1"}, {"kind", "Service"}, {"name", "gateway"}};
    std::string member = metric.type;
    member[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(member[0])));
    return {{"type", metric.type}, {member, source}};
}

json value_target(std::int64_t milli) { return {{"type", "Value"}, {"value", quantity_text(milli)}}; }
json average_target(std::int64_t milli) { return {{"type", "AverageValue"}, {"averageValue", quantity_text(milli)}}; }
json utilization_target(std::int64_t percent) { return {{"type", "Utilization"}, {"averageUtilization", percent}}; }

json observed_pods(const json& list) {
    json out = json::array();
    for (const json& entry : list) {
        json pod = {{"name", entry.value("name", "pod-" + std::to_string(out.size()))},
                    {"phase", phase_of(entry.value("phase", "Running"))},
                    {"ready", readiness_of(entry)},
                    {"deleting", entry.value("deleting", false) ? 1 : 0}};
        if (!start_of(entry).is_null()) pod["start_time_ms"] = ms_ago(start_of(entry));
        if (!ready_of(entry).is_null()) pod["ready_change_time_ms"] = ms_ago(ready_of(entry));
        out.push_back(pod);
    }
    return out;
}

std::int32_t count_ready(const json& list) {
    std::int32_t count = 0;
    for (const json& pod : observed_pods(list)) {
        if (pod.at("phase") == GPUTIDE_POD_RUNNING && pod.at("ready") == GPUTIDE_READY_YES) ++count;
    }
    return count;
}

bool can_observe(const json& list) {
    for (const json& entry : list) {
        if (ready_of(entry).is_null() && !start_of(entry).is_null()) return false;
    }
    return true;
}

json history_json(const json& list) {
    json out = json::array();
    for (const json& entry : list)
        out.push_back({{"replicas", entry.at("replicas")}, {"time_ms", ms_ago(entry.at("age_s"))}});
    return out;
}

json events_json(const json& list) {
    json out = json::array();
    for (const json& entry : list) {
        out.push_back({{"change", entry.at("change")},
                       {"time_ms", ms_ago(entry.at("age_s"))},
                       {"outdated", entry.value("outdated", false)}});
    }
    return out;
}

bool fits_double(std::int64_t milli) {
    constexpr std::int64_t most = std::int64_t{1} << 51;
    return milli >= -most && milli <= most;
}

bool sum_fits_double(const json& series_milli) {
    double sum = 0.0;
    for (const json& entry : series_milli) sum += std::fabs(entry.get<double>());
    return sum < 2e15;
}

json milli_sample(std::int64_t milli) { return {{"value", static_cast<double>(milli) / 1000.0}}; }

json series_sample(const json& series_milli) {
    if (series_milli.empty()) return {{"state", GPUTIDE_SAMPLE_EMPTY}, {"status", GPUTIDE_E_NO_DATA}};
    std::int64_t sum = 0;
    for (const json& entry : series_milli) sum += entry.get<std::int64_t>();
    return milli_sample(sum);
}

std::string reason_of(const json& report, const char* condition) {
    for (const json& entry : report.at("conditions")) {
        if (entry.at("type") == condition) return entry.at("reason");
    }
    return "";
}

}  // namespace conformance
