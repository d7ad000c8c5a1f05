#include "common/files.hpp"
#include "rightsize/samples.hpp"

#include <nlohmann/json.hpp>

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

// Calls one(owner, value) for each series that belongs to somebody; whether there was any.
template <class One>
bool each_series(const std::string& page, const std::string& metric, One one) {
    const gputide::samples all = series_of(page, metric);
    for (std::uint32_t i = 0; i < all.count(); ++i) {
        const gputide_sample value = all.get(i);
        const usage_owner usage_owner = owner_of(json::parse(all.labels(i)));
        if (value.state == GPUTIDE_SAMPLE_OK && !usage_owner.container.empty()) one(usage_owner, value.value);
    }
    return all.count() > 0;
}

}  // namespace

void read_dcgm_page(const std::string& path, std::int64_t time_ms, samples_by_container& samples) {
    const std::string page = read_text(path);
    const auto take = [&](const usage_meaning& meaning) {
        return [&samples, time_ms, meaning](const usage_owner& usage_owner, double value) {
            add_usage(samples, usage_owner.container, usage_owner.unit, time_ms, meaning, value);
        };
    };
    const bool engines = each_series(page, "DCGM_FI_PROF_GR_ENGINE_ACTIVE", take({usage::busy, 100.0}));
    if (!engines) each_series(page, "DCGM_FI_DEV_GPU_UTIL", take({usage::busy, 1.0}));
    each_series(page, "DCGM_FI_DEV_FB_USED", take({usage::memory, mib}));
}

}  // namespace gputided
