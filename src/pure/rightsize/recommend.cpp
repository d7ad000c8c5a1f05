#include "rightsize/recommend.hpp"

#include "base/format_text.hpp"
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
    amount min = 0;
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
    out.uncapped =
        each(raised_to(out.with_confidence, rules.min), [&](amount amount) { return rounded_up(amount, rules.step); });
    out.final = capped(out.uncapped, rules.caps);
    out.policy_caps = rules.caps;
    return out;
}

estimate busy_estimate(const usage& usage, const settings& settings, double confidence) {
    const double scale = settings.profile == profile::vpa ? 1000.0 : 1.0;  // cores to millicores
    return estimated(usage.busy, settings.at,
                     {scale, settings.busy_margin, share_of_minimum(settings.min_pod_busy, settings.containers),
                      settings.busy_step, settings.busy_caps},
                     confidence);
}

estimate memory_estimate(const usage& usage, const settings& settings, double confidence) {
    return estimated(usage.memory, settings.at,
                     {1.0, settings.memory_margin, share_of_minimum(settings.min_pod_memory_bytes, settings.containers),
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

// A machine cannot be compared if its speed for this model is unknown.
bool is_comparable(const sku& machine, const settings& settings) {
    return machine.speed || machine.gpu_model.empty() || settings.gpu_model.empty() ||
           machine.gpu_model == settings.gpu_model;
}

constexpr double rounding = 1e-9;  // tolerance for an integer after a division
constexpr double max_machine_gpus = 1e6;

std::int32_t whole(double gpus) {
    return static_cast<std::int32_t>(std::clamp(std::ceil(gpus), 1.0, max_machine_gpus));
}

std::int32_t for_compute(const sku& machine, const gpu_need& need, const workload& load) {
    const double busy = load.gpus * std::min(need.util_percent, 100.0) / 100.0;
    return whole(busy / machine.speed.value_or(1.0) / (load.goal_util_percent / 100.0) - rounding);
}

std::int32_t for_memory(amount usable, const gpu_need& need, const workload& load) {
    if (load.splittable) return whole(static_cast<double>(need.memory_bytes) * load.gpus / static_cast<double>(usable));
    return load.replicated ? 1 : load.gpus;
}

// Returns as many GPUs of a machine as the workload needs; nothing if memory or max_gpus are not sufficient.
std::optional<option> of_machine(const sku& machine, const gpu_need& need, const settings& settings) {
    const workload& load = settings.now;
    const amount usable = usable_bytes(machine.gpu_memory_bytes);
    if (usable <= 0 || (need.memory_bytes > usable && !load.splittable)) return std::nullopt;
    const std::int32_t compute = for_compute(machine, need, load);
    const std::int32_t memory = for_memory(usable, need, load);
    option out;
    out.uncapped_gpus = std::max({compute, memory, load.min_gpus});
    out.gpus = load.max_gpus > 0 ? std::min(out.uncapped_gpus, load.max_gpus) : out.uncapped_gpus;
    if (out.gpus < memory) return std::nullopt;
    const bool same = machine.name == settings.sku;
    out.kind = !same ? option_kind::sku : out.gpus == load.gpus ? option_kind::keep : option_kind::gpus;
    out.whole_gpus = out.gpus;
    out.sku = machine.name;
    // A node with a fraction of a GPU holds one client, independent of the fraction.
    out.nodes = static_cast<std::int32_t>(std::ceil(out.gpus / std::max(machine.gpus, 1.0)));
    if (machine.price_per_hour) out.price_per_hour = out.nodes * *machine.price_per_hour;
    out.bound = memory > compute ? bound_by::memory : bound_by::compute;
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

constexpr amount gb = 1'000'000'000;

// The slices of a MIG model; all models have the same six kinds.  Memory in GB.
struct sliced_model {
    std::string_view family;  // substring of the model's name
    amount memory_gb;
    amount small_gb;   // of 1g
    amount double_gb;  // of 1g with double memory, and of 2g
    amount half_gb;    // of 3g and 4g
};
constexpr std::array<sliced_model, 5> models{{{"A100", 40, 5, 10, 20},
                                              {"A100", 80, 10, 20, 40},
                                              {"H100", 80, 10, 20, 40},
                                              {"H100", 94, 12, 24, 47},
                                              {"H200", 141, 18, 35, 71}}};

mig_profile slice(std::int32_t slices, amount memory_gb, std::int32_t per_gpu) {
    return {format_text("{}g.{}gb", slices, memory_gb), memory_gb * gb, slices, per_gpu};
}

// Compares with tolerance: sizes are given in decimal or binary units and rounded; 85899345920 bytes are also the A100's 80
// GB.
bool same_size(amount bytes, amount gigabytes) {
    const double ratio = static_cast<double>(bytes) / static_cast<double>(gigabytes * gb);
    return ratio > 0.94 && ratio < 1.08;
}

// Returns the profiles of a GPU model with that memory; empty: unknown model, or no MIG. Models are given by family ("A100",
// "H100", "H100 NVL", "H200"); the memory size distinguishes models of the same family.
std::vector<mig_profile> profiles_of(std::string_view model, amount memory_bytes) {
    for (const sliced_model& entry : models) {
        if (model.find(entry.family) == std::string_view::npos || !same_size(memory_bytes, entry.memory_gb)) continue;
        return {slice(1, entry.small_gb, 7), slice(1, entry.double_gb, 4), slice(2, entry.double_gb, 3),
                slice(3, entry.half_gb, 2),  slice(4, entry.half_gb, 1),   slice(7, entry.memory_gb, 1)};
    }
    return {};
}

// Returns the smallest sufficient profile by memory, then slices, then name; nothing: only the whole GPU is sufficient.
// Needed slices: 45 % at a goal of 80 → 3.9 of 7.
std::optional<option> mig_option(const gpu_need& need, const settings& settings) {
    if (!settings.sharing.mig || !settings.now.replicated) return std::nullopt;
    const std::vector<mig_profile> profiles = settings.mig_profiles.empty()
                                                  ? profiles_of(settings.gpu_model, settings.gpu_memory_bytes)
                                                  : settings.mig_profiles;
    const double slices =
        settings.mig_slices * std::min(need.util_percent, 100.0) / 100.0 / (settings.now.goal_util_percent / 100.0);
    const mig_profile* best = nullptr;
    for (const mig_profile& profile : profiles) {
        if (profile.memory_bytes < need.memory_bytes || profile.slices < slices) continue;
        const auto key = [](const mig_profile& of) { return std::tie(of.memory_bytes, of.slices, of.name); };
        if (best == nullptr || key(profile) < key(*best)) best = &profile;
    }
    if (best == nullptr) return std::nullopt;
    option out = of_parts(option_kind::mig, best->per_gpu, settings);
    out.mig_profile = best->name;
    const auto holds = [&](const mig_profile& profile) {
        return profile.slices < best->slices && profile.slices >= slices;
    };
    out.bound = std::ranges::any_of(profiles, holds) ? bound_by::memory : bound_by::compute;
    return out;
}

constexpr std::int32_t max_mps_clients = 48;  // docs.nvidia.com/deploy/mps, per GPU since Volta

// Returns as many replicas on one GPU as memory, utilization and the number of MPS clients allow.
std::optional<option> share_option(const gpu_need& need, const settings& settings) {
    if ((!settings.sharing.mps && !settings.sharing.time_slicing) || !settings.now.replicated ||
        settings.gpu_memory_bytes == 0)
        return std::nullopt;
    const amount by_memory =
        need.memory_bytes > 0 ? usable_bytes(settings.gpu_memory_bytes) / need.memory_bytes : max_amount;
    const double by_compute =
        need.util_percent > 0.0 ? settings.now.goal_util_percent / need.util_percent + rounding : max_mps_clients;
    const auto replicas =
        static_cast<std::int32_t>(std::min({static_cast<double>(by_memory), by_compute, double{max_mps_clients}}));
    if (replicas < 2) return std::nullopt;
    option out = of_parts(option_kind::share, replicas, settings);
    out.bound = by_memory > replicas ? bound_by::compute : bound_by::memory;
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
const char* bound_by_name(bound_by side) noexcept { return side == bound_by::memory ? "memory" : "compute"; }
const char* verdict_name(verdict verdict) noexcept { return verdict_names[static_cast<std::size_t>(verdict)]; }

std::optional<option> present_option(const settings& settings) {
    if (settings.gpu_memory_bytes == 0) return std::nullopt;
    return of_parts(option_kind::keep, 1, settings);
}

amount usable_bytes(amount gpu_memory_bytes) {
    constexpr double usable_fraction = 0.95;
    return scaled(gpu_memory_bytes, usable_fraction);
}

std::vector<option> options_for(const gpu_need& need, const settings& settings) {
    std::vector<option> out;
    const auto add = [&](std::optional<option> made) {
        if (made) out.push_back(*std::move(made));
    };
    if (settings.machines.empty() && settings.gpu_memory_bytes > 0)
        add(of_machine({"", settings.gpu_model, settings.gpu_memory_bytes, 1.0, {}, {}}, need, settings));
    for (const sku& machine : settings.machines)
        if (is_comparable(machine, settings)) add(of_machine(machine, need, settings));
    if (settings.gpu_memory_bytes > 0 || !settings.mig_profiles.empty()) add(mig_option(need, settings));
    add(share_option(need, settings));
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
