#include "common/files.hpp"
#include "rightsize/samples.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace gputided {
namespace {

using json = nlohmann::json;

constexpr double mib = 1'048'576.0;

// One metric of a page, read as the library's dcgm source reads it: each series with its labels.
gputide::samples series_of(const std::string& page, const std::string& metric) {
    const json trigger = {{"type", "dcgm"},
                          {"metadata", {{"url", "http://127.0.0.1/metrics"}, {"metric", metric}, {"threshold", "1"}}}};
    return gputide::source::open(trigger.dump()).parse_all(200, "", page);
}

struct gpu {
    std::string container;  // namespace/pod/container, as far as the page has it; "": nobody's
    std::string unit;
};

gpu gpu_of(const json& labels) {
    const auto label = [&](const char* name) { return labels.value(name, std::string()); };
    gpu out;
    for (const char* name : {"namespace", "container"}) {
        const std::string value = label(name);
        if (!value.empty()) out.container += (out.container.empty() ? "" : "/") + value;
    }
    out.unit = label("Hostname") + "/" + label("gpu") + "/" + label("GPU_I_ID") + "/" + label("pod");
    return out;
}

// Calls one(gpu, value) for each series that belongs to somebody; whether there was any.
template <class One>
bool each_series(const std::string& page, const std::string& metric, One one) {
    const gputide::samples all = series_of(page, metric);
    for (std::uint32_t i = 0; i < all.count(); ++i) {
        const gputide_sample value = all.get(i);
        const gpu of = gpu_of(json::parse(all.labels(i)));
        if (value.state == GPUTIDE_SAMPLE_OK && !of.container.empty()) one(of, value.value);
    }
    return all.count() > 0;
}

}  // namespace

void read_dcgm_page(const std::string& path, std::int64_t time_ms, samples_by_container& to) {
    const std::string page = read_text(path);
    const auto busy = [&](double factor) {
        return [&, factor](const gpu& of, double value) {
            gputide_usage_sample& sample = add_sample(to, of.container, of.unit, time_ms);
            sample.flags = GPUTIDE_USAGE_BUSY;
            sample.busy = value * factor;
        };
    };
    const bool engines = each_series(page, "DCGM_FI_PROF_GR_ENGINE_ACTIVE", busy(100.0));
    if (!engines) each_series(page, "DCGM_FI_DEV_GPU_UTIL", busy(1.0));
    each_series(page, "DCGM_FI_DEV_FB_USED", [&](const gpu& of, double value) {
        gputide_usage_sample& sample = add_sample(to, of.container, of.unit, time_ms);
        sample.flags = GPUTIDE_USAGE_MEMORY;
        sample.memory_bytes = static_cast<std::int64_t>(std::max(value, 0.0) * mib);
    });
}

}  // namespace gputided
