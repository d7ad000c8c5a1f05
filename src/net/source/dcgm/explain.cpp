// Looks for the usual reasons: another spelling, MIG, a field that the exporter does not serve, a selector too narrow.
#include "source/dcgm/explain.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/exposition/page.hpp"

#include <algorithm>
#include <set>

namespace gputide::source::dcgm {
namespace {

struct overview {
    std::size_t of_metric = 0;  // samples of the metric, whatever their labels
    bool has_instances = false;
    std::set<std::string, std::less<>> names;
};

constexpr std::size_t most_names = 1'000;

overview look_over(std::string_view body, formats::exposition::format as, const settings& settings) {
    overview out;
    formats::exposition::page page(body, as);
    formats::exposition::line one;
    while (page.next(one)) {
        const std::string_view name = one.name.text;
        if (std::find(settings.numerator.begin(), settings.numerator.end(), name) != settings.numerator.end())
            ++out.of_metric;
        if (out.names.size() < most_names && out.names.find(name) == out.names.end()) out.names.emplace(name);
        const auto is_instance = [](const formats::exposition::raw_label& label) {
            return label.name.text == "GPU_I_ID";
        };
        out.has_instances = out.has_instances || std::any_of(one.labels.begin(), one.labels.end(), is_instance);
    }
    return out;
}

std::string about_instances(const settings& settings) {
    return settings.metric +
           " has no meaning for MIG instances, which this page shows: use DCGM_FI_PROF_GR_ENGINE_ACTIVE "
           "(0 to 1; with scale: \"100\" in percent)";
}

std::string not_served(const overview& page, const settings& settings) {
    std::string out = "the page has no series " + settings.numerator.front();
    const std::vector<std::string_view> names(page.names.begin(), page.names.end());
    const std::string_view near = nearest(settings.metric, names);
    if (!near.empty()) return format_text("{}; did you mean {}?", out, near);
    out += "; add the field to the exporter's counters file (-f, or its ConfigMap)";
    if (settings.metric.find("_PROF_") != std::string::npos) {
        out += ", and give the exporter the SYS_ADMIN capability: profiling fields need it, and a Volta GPU or newer";
    }
    return out;
}

}  // namespace

std::string why_nothing(std::string_view body, formats::exposition::format as, const settings& settings) {
    const overview page = look_over(body, as, settings);
    if (settings.leaves_instances_out && page.has_instances) return about_instances(settings);
    if (page.of_metric == 0) return not_served(page, settings);
    return format_text(
        "none of the {} series {} on the page counts; check the selector and `by` against the page's labels (pod "
        "labels need the exporter's --kubernetes, and are only on GPUs that a pod holds)",
        page.of_metric, settings.metric);
}

}  // namespace gputide::source::dcgm
