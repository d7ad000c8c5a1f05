#include "through/hpa.hpp"

#include "through/manifests.hpp"

namespace conformance {

std::int64_t ms_ago(const json& age_s) {
    if (age_s.is_number_integer()) return hpa_now_ms - age_s.get<std::int64_t>() * 1000;
    return hpa_now_ms - static_cast<std::int64_t>(age_s.get<double>() * 1000);
}

json hpa_annotations_of(const json&) { return {{"gputide.io/sync-period", "0s"}}; }

reach reach_of_settings(const json& one) {
    for (const char* setting : {"legacy_up_factor", "legacy_up_min"}) {
        if (has(one, setting)) return reach::none;
    }
    return has(one, "downscale_window_s") ? reach::none : reach::whole;
}

bool fits_double(std::int64_t milli) {
    constexpr std::int64_t most = std::int64_t{1} << 51;
    return milli >= -most && milli <= most;
}

json external_metric(const std::string& name, const json& target) {
    return {{"type", "External"}, {"external", {{"metric", {{"name", name}}}, {"target", target}}}};
}

}  // namespace conformance
