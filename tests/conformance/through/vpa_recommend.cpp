// vpa-recommend: confidence, recommendations, machines and MIG profiles through the settings, samples and reports that a host
// would use.
#include "frame/check.hpp"
#include "gputide/plan.h"

#include <algorithm>
#include <cmath>

namespace conformance::vpa_recommend {
namespace {

// A midnight: the cases count from 0, which is not a time at the C API, and their half-lives divide a day.
constexpr std::int64_t base_ms = 1'728'000'000'000;
constexpr std::int64_t day_s = 86'400;

std::int64_t ms_in(const json& seconds) { return std::llround(seconds.get<double>() * 1000.0); }

json sample_at(std::int64_t time_ms, unsigned flags) { return {{"time_ms", base_ms + time_ms}, {"flags", flags}}; }

json busy_sample(std::int64_t time_ms, double busy) {
    json out = sample_at(time_ms, GPUTIDE_USAGE_BUSY);
    out["busy"] = busy;
    return out;
}

// Settings of a case's names: the members of `from` that the C API knows by another name, or by the same.
void rename(json& to, const json& from, std::initializer_list<std::pair<const char*, const char*>> names) {
    for (const auto& [theirs, ours] : names)
        if (from.contains(theirs) && !from.at(theirs).is_null()) to[ours] = from.at(theirs);
}

json opened(const json& settings) { return {{"call", "rightsize.open"}, {"as", "r"}, {"settings", settings.dump()}}; }

json added(json samples) { return {{"call", "rightsize.add"}, {"rightsize", "r"}, {"samples", std::move(samples)}}; }

json report_of(c_api& library, const json& settings, json samples) {
    const json result = library.last_result(
        json::array({opened(settings),
                     added(std::move(samples)),
                     {{"call", "rightsize.recommend"}, {"rightsize", "r"}, {"now_ms", base_ms + 400 * day_s * 1000}}}));
    if (!result.contains("json")) return result;
    return json::parse(result.at("json").get<std::string>());
}

differences compared(const json& test_case, const json& got) {
    differences out;
    expect_equal(out, "answer", test_case.at("expect"), got,
                 {.tolerance = test_case.value("tol", 1e-9), .subset = true});
    return out;
}

// ---- confidence: that many samples, the first and the last one where the case has them

json history_samples(std::int64_t first_ms, std::int64_t last_ms, std::int64_t count) {
    json out = json::array();
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = i + 1 == count ? last_ms : first_ms + i;
        out.push_back(busy_sample(at, 1.0));
    }
    return out;
}

differences check_confidence(const json& test_case, const json&, c_api& library) {
    const json& input = test_case.at("input");
    json settings = {{"profile", "vpa"}};
    if (input.contains("interval_s")) settings["confidence_interval_ms"] = ms_in(input.at("interval_s"));
    const json report = report_of(
        library, settings,
        history_samples(ms_in(input.at("first")), ms_in(input.at("last")), input.at("samples").get<std::int64_t>()));
    return compared(test_case, report.value("confidence", report));
}

// As many samples as there are can lie a millisecond apart, and no more are worth sending.
reach reach_of_confidence(const json& test_case) {
    const json& input = test_case.at("input");
    const auto count = input.at("samples").get<std::int64_t>();
    const std::int64_t span_ms = ms_in(input.at("last")) - ms_in(input.at("first"));
    const bool fits =
        count >= 2 && count <= 30'000 && span_ms >= count && ms_in(input.value("interval_s", json(day_s))) >= 60'000;
    return fits ? reach::whole : reach::none;
}

// ---- recommend

// For peaks the confidence is given: a history of the other resource that comes to it.
json confidence_samples(double confidence) {
    const auto last_ms = std::llround(confidence * day_s * 1000.0);
    return history_samples(0, last_ms, std::llround(std::ceil(confidence * 1440.0)));
}

json peak_samples(const json& peaks) {
    json out = json::array();
    for (const json& peak : peaks) {
        out.push_back(sample_at(ms_in(peak.at(0)), GPUTIDE_USAGE_MEMORY));
        out.back()["memory_bytes"] = peak.at(1);
    }
    return out;
}

json run_samples(const json& runs) {
    json out = json::array();
    for (const json& run : runs)
        for (std::int64_t i = 0; i < run.at("count").get<std::int64_t>(); ++i)
            out.push_back(busy_sample(ms_in(run.at("t0")) + i * ms_in(run.at("step")), run.at("value").get<double>()));
    return out;
}

json recommend_settings(const json& input) {
    const json config = input.value("config", json::object());
    const bool memory = input.at("options") == "memory";
    json out = {{"profile", input.at("options") == "gpu_util" ? "gpu" : "vpa"},
                {"least_busy", 0},
                {"least_memory_bytes", 0},
                {"record_after_zero", false}};
    rename(out, config,
           {{"margin", memory ? "memory_margin" : "busy_margin"},
            {"min", memory ? "least_memory_bytes" : "least_busy"},
            {"target_percentile", "target_percentile"},
            {"lower_percentile", "lower_percentile"},
            {"upper_percentile", "upper_percentile"}});
    if (input.contains("interval_s")) out["memory_interval_ms"] = ms_in(input.at("interval_s"));
    if (input.contains("half_life_s")) out["half_life_ms"] = ms_in(input.at("half_life_s"));
    return out;
}

differences check_recommend(const json& test_case, const json&, c_api& library) {
    const json& input = test_case.at("input");
    json samples = peak_samples(input.value("peaks", json::array()));
    for (json& more : run_samples(input.value("samples", json::array()))) samples.push_back(std::move(more));
    if (input.contains("confidence"))
        for (json& more : confidence_samples(input.at("confidence").get<double>())) samples.push_back(std::move(more));
    const json report = report_of(library, recommend_settings(input), std::move(samples));
    return compared(test_case, report.value(input.at("options") == "memory" ? "memory" : "busy", report));
}

// Memory in the VPA's buckets, cpu in millicores, utilization in percent, with a confidence that samples can come to.
reach reach_of_recommend(const json& test_case) {
    const json& input = test_case.at("input");
    const json& options = input.at("options");
    const bool memory = options == "memory";
    const bool fits_scale = input.value("scale", 1.0) == (options == "cpu" ? 1000.0 : 1.0);
    const bool known = (memory || options == "cpu" || options == "gpu_util") && fits_scale;
    const double confidence = input.value("confidence", 1.0);
    const bool confident = memory ? input.contains("confidence") : !input.contains("confidence");
    const bool whole_history = confidence * 1440.0 >= 2.0 && confidence <= 20.0;
    const bool one_sort = memory ? !input.contains("samples") : !input.contains("peaks");
    return known && confident && whole_history && one_sort ? reach::whole : reach::none;
}

// ---- machines and MIG profiles, for a need that is known

json fit_of(const json& input, const json& settings, c_api& library) {
    const json result = library.last_result(
        json::array({opened(settings),
                     {{"call", "rightsize.fit"},
                      {"rightsize", "r"},
                      {"memory_bytes", static_cast<std::int64_t>(input.at("mem_target").get<double>())},
                      {"util_percent", input.at("util_target")}}}));
    if (!result.contains("json")) return result;
    return json::parse(result.at("json").get<std::string>());
}

json workload_settings(const json& input) {
    json out = json::object();
    rename(out, input,
           {{"gpus", "gpus"},
            {"goal_util", "goal_util_percent"},
            {"replicated", "replicated"},
            {"splittable", "splittable"},
            {"min_gpus", "min_gpus"},
            {"max_gpus", "max_gpus"},
            {"sm_total", "mig_slices"}});
    return out;
}

differences check_machines(const json& test_case, const json&, c_api& library) {
    const json& input = test_case.at("input");
    json settings = workload_settings(input);
    settings["skus"] = json::array();
    for (const json& each : input.at("skus")) {
        json machine = json::object();
        rename(machine, each,
               {{"name", "name"},
                {"gpu_memory", "gpu_memory_bytes"},
                {"gpus", "gpus"},
                {"price", "price_per_hour"},
                {"perf", "speed"}});
        settings["skus"].push_back(machine);
    }
    const json report = fit_of(input, settings, library);
    if (!report.contains("sku")) return compared(test_case, report);
    const json& best = report.at("sku");
    json got = {{"sku", nullptr}};
    if (!best.is_null())
        got = {{"sku", best.at("sku")},           {"gpus", best.at("gpus")},
               {"nodes", best.at("nodes")},       {"price", best.at("price_per_hour")},
               {"bound_by", best.at("bound_by")}, {"uncapped", best.at("uncapped_gpus")}};
    return compared(test_case, got);
}

differences check_profile(const json& test_case, const json&, c_api& library) {
    const json& input = test_case.at("input");
    json settings = workload_settings(input);
    settings["mig_profiles"] = json::array();
    for (const json& each : input.at("profiles")) {
        json profile = json::object();
        rename(profile, each, {{"name", "name"}, {"memory", "memory_bytes"}, {"sm", "slices"}, {"per_gpu", "per_gpu"}});
        settings["mig_profiles"].push_back(profile);
    }
    const json report = fit_of(input, settings, library);
    if (!report.contains("mig")) return compared(test_case, report);
    const json& best = report.at("mig");
    json got = {{"profile", nullptr}, {"per_gpu", 1}};
    if (!best.is_null()) got = {{"profile", best.at("mig_profile")}, {"per_gpu", best.at("per_gpu")}};
    return compared(test_case, got);
}

const registration confidences{"vpa-recommend", {"confidence"}, &check_confidence, &reach_of_confidence};
const registration recommendations{"vpa-recommend", {"recommend"}, &check_recommend, &reach_of_recommend};
const registration machines{"vpa-recommend", {"gpu_rightsize"}, &check_machines};
const registration profiles{"vpa-recommend", {"mig_fit"}, &check_profile};

}  // namespace
}  // namespace conformance::vpa_recommend
