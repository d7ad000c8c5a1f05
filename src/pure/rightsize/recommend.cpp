#include "rightsize/recommend.hpp"

#include "base/stable_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace gputide::rightsize {
namespace {

constexpr std::array signal_names{"usage", "preallocated", "none"};
constexpr std::array option_names{"keep", "gpus", "sku", "mig", "share"};
constexpr std::array verdict_names{"change", "keep", "hold", "nothing", "report"};

constexpr std::int32_t windows_kept = 8;        // --memory-aggregation-interval-count of the VPA
constexpr double preallocated_fraction = 0.85;  // of the GPU's memory

struct estimate_rules {
    double scale = 1.0;  // from the histogram's unit to the amount's unit
    double margin = 0.0;
    amount least = 0;
    amount step = 1;
    rightsize::caps caps;
};

bounds each(const bounds& from, auto change) { return {change(from.lower), change(from.target), change(from.upper)}; }

estimate estimated(const rightsize::histogram& histogram, const percentiles& percentiles, const estimate_rules& rules,
                   double confidence) {
    const auto read = [&](double p) { return amount_of(histogram.percentile(p) * rules.scale); };
    estimate out;
    out.percentiles = {read(percentiles.lower), read(percentiles.target), read(percentiles.upper)};
    out.with_margin = each(out.percentiles, [&](amount base) { return with_margin(base, rules.margin); });
    out.with_confidence = widened(out.with_margin, confidence);
    out.uncapped = each(raised_to(out.with_confidence, rules.least),
                        [&](amount amount) { return rounded_up(amount, rules.step); });
    out.final = capped(out.uncapped, rules.caps);
    out.policy_caps = rules.caps;
    return out;
}

estimate busy_estimate(const usage& usage, const settings& settings, double confidence) {
    const double scale = settings.profile == profile::vpa ? 1000.0 : 1.0;  // cores to millicores
    return estimated(usage.busy, settings.at,
                     {scale, settings.busy_margin, share_of_minimum(settings.least_busy, settings.containers),
                      settings.busy_step, settings.busy_caps},
                     confidence);
}

estimate memory_estimate(const usage& usage, const settings& settings, double confidence) {
    return estimated(usage.memory, settings.at,
                     {1.0, settings.memory_margin, share_of_minimum(settings.least_memory_bytes, settings.containers),
                      settings.memory_step_bytes, settings.memory_caps},
                     confidence);
}

// Detects a runtime that allocates a fixed share of the memory: the median and nearly all peaks are in one bucket near the
// maximum.
memory_signal signal_of(const usage& usage, const settings& settings) {
    if (usage.memory.empty()) return memory_signal::none;
    const double usual = usage.memory.percentile(0.5);
    const bool steady = usual == usage.memory.percentile(0.95);
    const bool high =
        settings.gpu_memory_bytes > 0 && usual > preallocated_fraction * static_cast<double>(settings.gpu_memory_bytes);
    return steady && high ? memory_signal::preallocated : memory_signal::usage;
}

// Memory without information must not reduce the GPU: the present GPU's memory is then required.
gpu_need need_of(const recommendation& recommendation, const settings& settings) {
    gpu_need out{recommendation.memory.final.target, static_cast<double>(recommendation.busy.final.target)};
    if (recommendation.signal != memory_signal::usage) out.memory_bytes = usable_bytes(settings.gpu_memory_bytes);
    return out;
}

// Returns the present GPU as a machine, for settings without machines.
sku unnamed_machine(const settings& settings) {
    sku out;
    out.gpu_model = settings.gpu_model;
    out.gpu_memory_bytes = settings.gpu_memory_bytes;
    return out;
}

// A machine cannot be compared if its speed for this model is unknown.
bool is_comparable(const sku& machine, const settings& settings) {
    return machine.speed || machine.gpu_model.empty() || settings.gpu_model.empty() ||
           machine.gpu_model == settings.gpu_model;
}

option of_machine(const sku_fit& sku_fit, const settings& settings) {
    option out;
    const bool same = sku_fit.machine->name == settings.sku;
    out.kind = !same ? option_kind::sku : sku_fit.gpus == settings.now.gpus ? option_kind::keep : option_kind::gpus;
    out.gpus = sku_fit.gpus;
    out.uncapped_gpus = sku_fit.uncapped_gpus;
    out.whole_gpus = sku_fit.gpus;
    out.sku = sku_fit.machine->name;
    out.nodes = sku_fit.nodes;
    out.price_per_hour = sku_fit.price_per_hour;
    out.bound = sku_fit.bound;
    return out;
}

std::optional<double> price_of_gpu(const settings& settings) {
    const sku* const machine = present_machine(settings);
    if (machine == nullptr || !machine->price_per_hour) return std::nullopt;
    return *machine->price_per_hour / machine->gpus;
}

// Returns an option with units that are parts of the present GPU.
option of_parts(option_kind kind, std::int32_t units_per_gpu, const settings& settings) {
    option out;
    out.kind = kind;
    out.gpus = kind == option_kind::keep ? settings.now.gpus : std::max(settings.now.gpus, settings.now.min_gpus);
    out.uncapped_gpus = out.gpus;
    out.units_per_gpu = units_per_gpu;
    out.sku = settings.sku;
    out.whole_gpus = static_cast<double>(out.gpus) / units_per_gpu;
    const sku* const machine = present_machine(settings);
    const double per_node = machine != nullptr ? std::max(machine->gpus, 1.0) : 1.0;
    out.nodes = static_cast<std::int32_t>(std::ceil(std::ceil(out.whole_gpus) / per_node));
    if (const std::optional<double> price = price_of_gpu(settings)) out.price_per_hour = out.whole_gpus * *price;
    return out;
}

std::optional<option> mig_option(const gpu_need& need, const settings& settings) {
    if (!settings.sharing.mig || !settings.now.replicated) return std::nullopt;
    const std::vector<mig_profile> profiles = settings.mig_profiles.empty()
                                                  ? profiles_of(settings.gpu_model, settings.gpu_memory_bytes)
                                                  : settings.mig_profiles;
    const mig_profile* const found =
        smallest_profile(profiles, need, settings.now.goal_util_percent, settings.mig_slices);
    if (found == nullptr) return std::nullopt;
    option out = of_parts(option_kind::mig, found->per_gpu, settings);
    out.mig_profile = found->name;
    const double slices = slices_needed(need, settings.now.goal_util_percent, settings.mig_slices);
    const auto holds = [&](const mig_profile& profile) {
        return profile.slices < found->slices && profile.slices >= slices;
    };
    out.bound = std::ranges::any_of(profiles, holds) ? bound_by::memory : bound_by::compute;
    return out;
}

std::optional<option> share_option(const gpu_need& need, const settings& settings) {
    if ((!settings.sharing.mps && !settings.sharing.time_slicing) || !settings.now.replicated ||
        settings.gpu_memory_bytes == 0)
        return std::nullopt;
    const std::int32_t replicas = replicas_per_gpu(settings.gpu_memory_bytes, need, settings.now.goal_util_percent);
    if (replicas < 2) return std::nullopt;
    option out = of_parts(option_kind::share, replicas, settings);
    const bool memory_allows_more =
        need.memory_bytes == 0 || usable_bytes(settings.gpu_memory_bytes) / need.memory_bytes > replicas;
    out.bound = memory_allows_more ? bound_by::compute : bound_by::memory;
    return out;
}

// Sorts by price, then by the fraction of a GPU, then by the smallest change.  Options without a price follow those with one;
// other machines without a price are last, because fewer of their GPUs may cost more.
bool better(const option& a, const option& b) {
    const auto key = [](const option& option) {
        const bool blind = option.kind == option_kind::sku && !option.price_per_hour;
        return std::tuple(option.price_per_hour.value_or(HUGE_VAL), blind, option.whole_gpus,
                          static_cast<int>(option.kind), option.nodes, std::string_view(option.sku));
    };
    return key(a) < key(b);
}

verdict verdict_on(const recommendation& recommendation, const settings& settings) {
    if (settings.profile == profile::vpa) return verdict::report;
    if (recommendation.confidence < settings.hold_below && !recommendation.after_oom) return verdict::hold;
    if (recommendation.options.empty()) return verdict::nothing;
    return recommendation.options.front().kind == option_kind::keep ? verdict::keep : verdict::change;
}

}  // namespace

const char* memory_signal_name(memory_signal signal) noexcept { return signal_names[static_cast<std::size_t>(signal)]; }
const char* option_kind_name(option_kind kind) noexcept { return option_names[static_cast<std::size_t>(kind)]; }
const char* verdict_name(verdict verdict) noexcept { return verdict_names[static_cast<std::size_t>(verdict)]; }

std::optional<option> present_option(const settings& settings) {
    if (settings.gpu_memory_bytes == 0) return std::nullopt;
    return of_parts(option_kind::keep, 1, settings);
}

std::vector<option> options_for(const gpu_need& need, const settings& settings) {
    workload load = settings.now;
    load.need = need;
    std::vector<option> out;
    if (settings.machines.empty() && settings.gpu_memory_bytes > 0) {
        const sku only = unnamed_machine(settings);
        if (const std::optional<sku_fit> made = fit(only, load)) out.push_back(of_machine(*made, settings));
    }
    for (const sku_fit& made : fitting(settings.machines, load))
        if (is_comparable(*made.machine, settings)) out.push_back(of_machine(made, settings));
    if (settings.gpu_memory_bytes > 0 || !settings.mig_profiles.empty())
        if (std::optional<option> made = mig_option(need, settings)) out.push_back(*std::move(made));
    if (std::optional<option> option = share_option(need, settings)) out.push_back(*std::move(option));
    sort_stably(out, better);
    return out;
}

recommendation recommend(const usage& usage, const settings& settings, std::int64_t now_ms) {
    recommendation out;
    out.confidence = confidence_of(usage.seen, settings.confidence_interval_ms);
    out.after_oom = usage.ooms > 0;
    out.signal = signal_of(usage, settings);
    out.busy = busy_estimate(usage, settings, out.confidence);
    out.memory = memory_estimate(usage, settings, out.confidence);
    out.expired = usage.last_ms != peak_window::none &&
                  expired({0, usage.last_ms, 1}, 0, now_ms,
                          std::max(settings.usage.peaks.interval_ms, settings.usage.half_life_ms), windows_kept);
    if (settings.profile == profile::gpu) {
        out.need = need_of(out, settings);
        out.now = present_option(settings);
        out.options = options_for(out.need, settings);
    }
    out.verdict = verdict_on(out, settings);
    return out;
}

}  // namespace gputide::rightsize
