// Reduces readings to a sample by the trigger's settings.
#include "base/format_text.hpp"
#include "base/time.hpp"
#include "source/description.hpp"
#include "source/gpu/nvml.hpp"

#include <algorithm>
#include <limits>

namespace gputide::source::nvml {
namespace {

bool is_left_out(const measured& failure) { return failure.said == not_supported; }

// Returns the failures that make a value incomplete.
std::vector<error> real_failures(const readings& readings) {
    std::vector<error> out;
    for (const measured& failure : readings.failures) {
        if (!is_left_out(failure)) out.push_back(failure.why);
    }
    for (const std::string& name : readings.missing) {
        std::string text = format_text("this machine has no GPU or instance {}; it has", name);
        for (const gpu& gpu : *readings.list) text += format_text(" {},", shown(gpu));
        text.back() = '.';
        out.push_back(fail(error_class::no_data, readings.list->empty() ? "the driver lists no GPU" : text));
    }
    return out;
}

// Explains why there is neither a failure nor a value.
error nothing(const readings& readings, const settings& settings) {
    if (readings.list->empty()) return fail(error_class::unavailable, "the driver lists no GPU on this machine");
    const std::string metric(settings.quantity->name);
    const bool mig = std::ranges::any_of(*readings.list, [](const gpu& gpu) { return gpu.in_mig_mode; });
    if (mig && !settings.quantity->of_instance) {
        return fail(error_class::no_data,
                    "no value of {}: NVML does not support it for GPUs in MIG mode, neither for the GPU nor for its "
                    "instances. Use gpu_utilization, dram_active or memory_used_ratio, which instances support",
                    metric);
    }
    if (settings.quantity->kind == reading_kind::process && readings.failures.empty()) {
        return fail(error_class::no_data,
                    "no value of {}: no matching process runs on these GPUs. A container sees only its own processes, "
                    "unless it has hostPID: true",
                    metric);
    }
    if (settings.quantity->gpm != 0 && settings.vendor == &nvidia) {
        return fail(
            error_class::no_data,
            "no value of {}: it needs GPM, which Hopper and newer GPUs have with driver 520 or newer{}", metric,
            mig ? ". For MIG instances of older GPUs use memory_used_ratio, or DCGM_FI_PROF_GR_ENGINE_ACTIVE with a "
                  "trigger of type dcgm"
                : ". Use gpu_utilization, or the profiling metrics of dcgm-exporter with a trigger of type dcgm");
    }
    if (mig) return fail(error_class::no_data, "no value of {}: MIG mode is on, without instances", metric);
    return fail(error_class::no_data, "no value of {}: these GPUs do not have it", metric);
}

// Sets how the combined value was read: the least informative way of its parts, and their shortest interval.
void set_way(const readings& readings, sample& to) {
    for (const measured& value : readings.values) {
        to.read_by = std::max(to.read_by, value.read_by);
        const auto interval_ms = static_cast<std::int32_t>(
            std::min<std::int64_t>(value.interval_ms, std::numeric_limits<std::int32_t>::max()));
        to.interval_ms = &value == &readings.values.front() ? interval_ms : std::min(to.interval_ms, interval_ms);
    }
}

// Returns "averaged over 15s by GPM, 8 GPUs".
std::string way_text(const sample& value, const settings& settings, std::size_t count) {
    const quantity& quantity = *settings.quantity;
    if (value.read_by == read_by::unknown) return {};
    const std::string of = format_text("{} value{}", count, count == 1 ? "" : "s");
    if (value.read_by == read_by::single_sample || value.interval_ms == 0) {
        const bool is_share = quantity.kind == reading_kind::averaged;
        return format_text("{}: {} ({})", quantity.name, is_share ? settings.vendor->sample : "a single sample", of);
    }
    std::string_view way = "the driver's own samples";
    if (value.read_by == read_by::gpm) way = "GPM";
    if (value.read_by == read_by::energy_counter) way = "the energy counter";
    return format_text("{}: averaged over {} by {} ({})", quantity.name, format_duration_ms(value.interval_ms), way,
                       of);
}

void add_notes(const readings& readings, const settings& settings, fetched& to) {
    set_way(readings, to.sample);
    if (std::string text = way_text(to.sample, settings, readings.values.size()); !text.empty())
        to.reading.infos.push_back(std::move(text));
    const bool is_doubtful =
        to.sample.read_by == read_by::single_sample && settings.quantity->kind == reading_kind::averaged;
    for (const measured& value : readings.values) {
        if (value.note.empty()) continue;
        (is_doubtful ? to.reading.warnings : to.reading.infos).push_back(value.note);
    }
}

// Names the labels like dcgm-exporter: gpu, UUID, modelName, and GPU_I_ID for an instance.
std::vector<series> series_of(const readings& readings, const settings& settings, std::int64_t now_ms) {
    std::vector<series> out;
    for (const measured& value : readings.values) {
        series& to = out.emplace_back();
        to.labels = {{"__name__", std::string(settings.quantity->name)},
                     {"gpu", std::to_string(value.owner->index)},
                     {"UUID", value.owner->uuid},
                     {"modelName", value.owner->name}};
        if (value.owner->instance) to.labels.emplace_back("GPU_I_ID", std::to_string(value.owner->instance_id));
        to.labels.insert(to.labels.end(), value.labels.begin(), value.labels.end());
        to.points.push_back({now_ms, value.value});
    }
    return out;
}

// Returns the same values without labels, which a poll does not need.
numbers numbers_of(const readings& readings, const settings& settings, std::int64_t now_ms) {
    numbers out;
    out.result_type = settings.vendor->type;
    out.series = readings.values.size();
    out.newest.reserve(readings.values.size());
    for (const measured& value : readings.values) out.newest.push_back({now_ms, value.value});
    return out;
}

}  // namespace

fetched judge_values(numbers values, const settings& settings) {
    for (point& point : values.newest) point.value *= settings.scale;
    return judge_numbers(values, settings.reduction, settings.texts);
}

fetched judge_readings(const readings& readings, const settings& settings, detail wanted, std::int64_t now_ms) {
    const std::vector<error> failures = real_failures(readings);
    fetched out;
    if (!failures.empty() && readings.values.empty()) {
        out = judge_failure(failures.front());
    } else if (!failures.empty() && !settings.reduction.accept_partial) {
        const std::size_t all = readings.values.size() + failures.size();
        out = judge_failure(partial_error(failures.front(), failures.size(), all, "GPUs have no value"));
    } else if (readings.values.empty()) {
        out = judge_failure(nothing(readings, settings));
    } else {
        out = judge_values(numbers_of(readings, settings, now_ms), settings);
        add_notes(readings, settings, out);
    }
    out.reading.result_type = settings.vendor->type;
    if (wanted == detail::everything) out.reading.series = series_of(readings, settings, now_ms);
    out.reading.partial = !failures.empty();
    for (const error& why : failures) out.reading.warnings.push_back(why.message);
    for (const measured& failure : readings.failures) {
        if (is_left_out(failure)) out.reading.infos.push_back(failure.why.message);
    }
    return out;
}

}  // namespace gputide::source::nvml
