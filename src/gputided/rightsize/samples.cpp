#include "common/files.hpp"
#include "common/log.hpp"
#include "common/text.hpp"
#include "common/times.hpp"
#include "rightsize/rightsize.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace gputided {
namespace {

constexpr std::uint32_t max_units = 4'096;  // per container, as in the library
constexpr double mib = 1'048'576.0;
constexpr std::int32_t reading_timeout_ms = 10'000;  // the first read of a GPU without persistence mode takes seconds

// Opens a source for a metric, with the library's reader of this type.
gputide::source metric_source(const char* type, const std::string& metric) {
    json trigger = {{"type", type}, {"metadata", {{"metric", metric}, {"threshold", "1"}}}};
    if (std::string(type) == "dcgm") trigger["metadata"]["url"] = "http://127.0.0.1/metrics";
    return gputide::source::open(trigger.dump());
}

// Returns the newest value of a series from gputide_source_parse_all; nothing without points or if it is not a number.
std::optional<double> newest_value(const json& series) {
    const json& points = series.at("points");
    if (points.empty() || !points.back().at("value").is_number()) return std::nullopt;
    return points.back().at("value").get<double>();
}

// Adds the samples that have a value and, if `is_named`, a container.  Returns whether the reading has any series.
bool add_all(const json& reading, bool is_named, std::int64_t time_ms, const usage_meaning& meaning,
             samples_by_container& samples) {
    const json& all = reading.at("series");
    for (const json& series : all) {
        const json& labels = series.at("labels");
        const std::optional<double> value = newest_value(series);
        usage_owner owner = owner_of(labels);
        if (!is_named) owner = {"", labels.value("UUID", "") + "/" + labels.value("GPU_I_ID", "")};
        if (value && (!is_named || !owner.container.empty()))
            add_usage(samples, owner.container, owner.unit, time_ms, meaning, *value);
    }
    return !all.empty();
}

void take_row(const std::vector<std::string>& cells, const usage_meaning& meaning, samples_by_container& samples) {
    if (cells.size() != 3 && cells.size() != 4)
        throw usage_error("expected time,container,value or time,container,unit,value, got " +
                          std::to_string(cells.size()) + " columns");
    std::int64_t time_ms = 0;
    try {
        time_ms = parse_cell_time_ms(cells[0]);
    } catch (const usage_error&) {
        throw usage_error("the time \"" + printable(cells[0]) +
                          "\" cannot be read; expected RFC 3339, Unix seconds or Unix milliseconds");
    }
    if (cells.back().empty()) return;  // unknown at this time
    const std::optional<double> value = number_in(cells.back());
    if (!value) throw usage_error("expected a number, got \"" + printable(cells.back()) + "\"");
    add_usage(samples, cells[1], cells.size() == 4 ? cells[2] : "", time_ms, meaning, *value);
}

void take_nvml(gputide::source& source, const usage_meaning& meaning, samples_by_container& samples) {
    const std::int64_t now_ms = unix_now_ms();
    add_all(json::parse(source.fetch_all(now_ms, reading_timeout_ms)), false, now_ms, meaning, samples);
}

// Takes the utilization, which MIG instances of GPUs without GPM do not have; for them only the memory is known.
void take_busy(gputide::source& source, samples_by_container& samples) {
    try {
        take_nvml(source, {usage::busy, 1.0}, samples);
    } catch (const gputide::failure& failed) {
        if (failed.status() != GPUTIDE_E_NO_DATA) throw;
    }
}

}  // namespace

void add_usage(samples_by_container& samples, const std::string& container, const std::string& unit,
               std::int64_t time_ms, const usage_meaning& meaning, double value) {
    container_samples& all = samples[container];
    const auto number = all.units.emplace(unit, static_cast<std::uint32_t>(all.units.size())).first->second;
    if (number >= max_units)
        throw usage_error("container " + printable(container) + " has more than " + std::to_string(max_units) +
                          " GPUs; give one container's replicas at a time");
    gputide_usage_sample& sample = all.samples.emplace_back();
    sample.time_ms = time_ms;
    sample.unit = number;
    if (meaning.value == usage::busy) {
        sample.flags = GPUTIDE_USAGE_BUSY;
        sample.busy = value * meaning.factor;
    } else {
        sample.flags = GPUTIDE_USAGE_MEMORY;
        const double bytes = value * meaning.factor;
        sample.memory_bytes = bytes >= 0.0 && bytes < 9e18 ? static_cast<std::int64_t>(bytes) : -1;
    }
}

// Returns the workload.  If the scrape uses its own labels (honor_labels false), namespace, pod and container are the exporter's,
// and exported_namespace and so on are the workload's.
usage_owner owner_of(const json& labels) {
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

void read_long_csv(const std::string& path, const usage_meaning& meaning, samples_by_container& samples) {
    bool is_first = true;
    each_row(read_text(path, max_series_bytes), ',', path + ":", path, [&](const auto& cells, std::int64_t) {
        const bool is_heading = std::exchange(is_first, false) && cells.front().starts_with("time");
        if (!is_heading) take_row(cells, meaning, samples);
    });
}

void read_dcgm_page(const std::string& path, std::int64_t time_ms, samples_by_container& samples) {
    const std::string page = read_text(path);
    const auto take = [&](const char* metric, const usage_meaning& meaning) {
        return add_all(json::parse(metric_source("dcgm", metric).parse_all(200, "", page)), true, time_ms, meaning,
                       samples);
    };
    if (!take("DCGM_FI_PROF_GR_ENGINE_ACTIVE", {usage::busy, 100.0})) take("DCGM_FI_DEV_GPU_UTIL", {usage::busy, 1.0});
    take("DCGM_FI_DEV_FB_USED", {usage::memory, mib});
}

void sample_nvml(std::int64_t for_ms, std::int64_t step_ms, samples_by_container& samples) {
    gputide::source busy = metric_source("nvml", "gpu_utilization");
    gputide::source memory = metric_source("nvml", "memory_used_bytes");
    const std::int64_t end_ms = steady_now_ms() + for_ms;
    for (std::int64_t next_ms = steady_now_ms();; next_ms += step_ms) {
        std::this_thread::sleep_for(std::chrono::milliseconds(next_ms - steady_now_ms()));
        take_busy(busy, samples);
        take_nvml(memory, {usage::memory, 1.0}, samples);
        if (next_ms + step_ms > end_ms) return;
    }
}

}  // namespace gputided
