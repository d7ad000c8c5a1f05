#include "doctor/aliasing.hpp"

#include "base/format_text.hpp"
#include "doctor/selection.hpp"

#include <cmath>
#include <cstddef>
#include <string_view>

namespace gputide::doctor {
namespace {

// Points of a percentage.  Both numbers of a steady load agree within a few.
constexpr double max_difference = 15.0;
// GPUs of data centers draw 70 to 140 W without work: 200 W is work, whatever the card.
constexpr double max_idle_percent = 5.0;
constexpr double min_busy_watts = 200.0;
constexpr std::size_t min_points = 8;

struct mean_of {
    double sum = 0.0;
    std::size_t points = 0;

    bool is_known() const { return points >= min_points; }
    double value() const { return sum / static_cast<double>(points); }
};

mean_of mean(const std::vector<source::series>& all, std::string_view name) {
    mean_of out;
    for (const source::series& series : all) {
        if (!name.empty() && label_value(series.labels, "__name__") != name) continue;
        for (const source::point& point : series.points) {
            if (!std::isfinite(point.value)) continue;
            out.sum += point.value;
            ++out.points;
        }
    }
    return out;
}

std::vector<source::labels> labels_of(const std::vector<source::series>& all) {
    std::vector<source::labels> out;
    for (const source::series& series : all) out.push_back(series.labels);
    return out;
}

std::string whole(double number) { return std::to_string(std::llround(number)); }

step missed(const std::string& value, std::string seen) {
    return doubtful(
        step_name::value, value + "; " + std::move(seen),
        "DCGM_FI_DEV_GPU_UTIL is the driver's last sample alone, of 1/6 to 1 s, taken at each scrape: a load in bursts "
        "reads "
        "as 0 or 100, by its phase.",
        "Scale on 100 * DCGM_FI_PROF_GR_ENGINE_ACTIVE, which counts the whole time between two collections; the "
        "threshold "
        "stays. dcgm-exporter serves it where its list of counters names it (etc/default-counters.csv does).");
}

}  // namespace

std::optional<step> judge_aliasing(const std::string& metric, const std::vector<source::series>& past,
                                   const std::vector<source::series>& beside, const std::string& value) {
    if (metric != "DCGM_FI_DEV_GPU_UTIL") return std::nullopt;
    // The mean of a shared GPU's own series and those of its pods is not the GPU's.
    if (mixes_devices_and_pods(metric, labels_of(past))) return std::nullopt;
    const mean_of sampled = mean(past, {});
    if (!sampled.is_known()) return std::nullopt;
    const mean_of active = mean(beside, "DCGM_FI_PROF_GR_ENGINE_ACTIVE");
    if (active.is_known()) {
        const double percent = 100.0 * active.value();
        if (std::abs(percent - sampled.value()) <= max_difference) return std::nullopt;
        return missed(value,
                      format_text("its mean over the last minutes is {} %, and the engine was active {} % of that "
                                  "time (DCGM_FI_PROF_GR_ENGINE_ACTIVE)",
                                  whole(sampled.value()), whole(percent)));
    }
    const mean_of power = mean(beside, "DCGM_FI_DEV_POWER_USAGE");
    if (!power.is_known() || power.value() < min_busy_watts || sampled.value() > max_idle_percent) return std::nullopt;
    return missed(value, format_text("its mean over the last minutes is {} %, at {} W: no idle GPU draws that",
                                     whole(sampled.value()), whole(power.value())));
}

}  // namespace gputide::doctor
