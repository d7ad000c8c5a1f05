#include "rightsize/samples.hpp"

#include "common/exit_status.hpp"
#include "common/text.hpp"

namespace gputided {
namespace {

constexpr std::uint32_t most_units = 4'096;  // of a container, as the library has it

gputide_usage_sample& add_sample(samples_by_container& samples, const std::string& container, const std::string& unit,
                                 std::int64_t time_ms) {
    container_samples& all = samples[container];
    const auto number = all.units.emplace(unit, static_cast<std::uint32_t>(all.units.size())).first->second;
    if (number >= most_units)
        throw usage_error("container " + printable(container) + " has more than " + std::to_string(most_units) +
                          " GPUs; give one container's replicas at a time");
    gputide_usage_sample& out = all.samples.emplace_back();
    out.time_ms = time_ms;
    out.unit = number;
    return out;
}

}  // namespace

void add_usage(samples_by_container& samples, const std::string& container, const std::string& unit,
               std::int64_t time_ms, const usage_meaning& meaning, double value) {
    gputide_usage_sample& sample = add_sample(samples, container, unit, time_ms);
    if (meaning.value == usage::busy) {
        sample.flags = GPUTIDE_USAGE_BUSY;
        sample.busy = value * meaning.factor;
    } else {
        sample.flags = GPUTIDE_USAGE_MEMORY;
        const double bytes = value * meaning.factor;
        sample.memory_bytes = bytes >= 0.0 && bytes < 9e18 ? static_cast<std::int64_t>(bytes) : -1;
    }
}

// Where a scrape keeps its own labels (honor_labels false), namespace, pod and container are the exporter's, and those of who
// uses the GPU stand beside them as exported_namespace and so on.
usage_owner owner_of(const nlohmann::json& labels) {
    const auto label = [&](const std::string& name) {
        return labels.value("exported_" + name, labels.value(name, std::string()));
    };
    usage_owner out;
    for (const char* name : {"namespace", "container"}) {
        const std::string value = label(name);
        if (!value.empty()) out.container += (out.container.empty() ? "" : "/") + value;
    }
    out.unit = label("Hostname") + "/" + label("gpu") + "/" + label("GPU_I_ID") + "/" + label("pod");
    return out;
}

}  // namespace gputided
