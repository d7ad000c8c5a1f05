#include "rightsize/recommend.hpp"

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
constexpr double preallocated_fraction = 0.85;  // of the card

struct estimate_rules {
    double scale = 1.0;  // of the histogram's unit to the amount's
    double margin = 0.0;
    amount least = 0;
    amount step = 1;
    caps by;
};

bounds each(const bounds& from, auto change) { return {change(from.lower), change(from.target), change(from.upper)}; }

estimate estimated(const decaying_histogram& from, const percentiles& at, const estimate_rules& by, double confidence) {
    const auto read = [&](double p) { return amount_of(from.percentile(p) * by.scale); };
    estimate out;
    out.percentiles = {read(at.lower), read(at.target), read(at.upper)};
    out.with_margin = each(out.percentiles, [&](amount base) { return with_margin(base, by.margin); });
    out.with_confidence = widened(out.with_margin, confidence);
    out.uncapped = each(raised_to(out.with_confidence, by.least), [&](amount one) { return rounded_up(one, by.step); });
    out.final = capped(out.uncapped, by.by);
    out.by = by.by;
    return out;
}

estimate busy_estimate(const usage& from, const settings& by, double confidence) {
    const double scale = by.profile == profile::vpa ? 1000.0 : 1.0;  // cores to millicores
    return estimated(
        from.busy, by.at,
        {scale, by.busy_margin, share_of_minimum(by.least_busy, by.containers), by.busy_step, by.busy_caps},
        confidence);
}

estimate memory_estimate(const usage& from, const settings& by, double confidence) {
    return estimated(from.memory, by.at,
                     {1.0, by.memory_margin, share_of_minimum(by.least_memory_bytes, by.containers),
                      by.memory_step_bytes, by.memory_caps},
                     confidence);
}

// Half of the peaks and nearly all of them in one bucket, high up on the card: a runtime that takes a fixed share.
memory_signal signal_of(const usage& from, const settings& by) {
    if (from.memory.empty()) return memory_signal::none;
    const double usual = from.memory.percentile(0.5);
    const bool steady = usual == from.memory.percentile(0.95);
    const bool high =
        by.gpu_memory_bytes > 0 && usual > preallocated_fraction * static_cast<double>(by.gpu_memory_bytes);
    return steady && high ? memory_signal::preallocated : memory_signal::usage;
}

// Memory that says nothing must not shrink the GPU: the present one's is needed then.
gpu_need need_of(const recommendation& made, const settings& by) {
    gpu_need out{made.memory.final.target, static_cast<double>(made.busy.final.target)};
    if (made.signal != memory_signal::usage) out.memory_bytes = usable_bytes(by.gpu_memory_bytes);
    return out;
}

// The GPU that is there now as a machine of its own, for those who list none.
sku unnamed_machine(const settings& by) {
    sku out;
    out.gpu_model = by.gpu_model;
    out.gpu_memory_bytes = by.gpu_memory_bytes;
    return out;
}

// Nobody said how fast the model would be on another GPU: that machine cannot be judged.
bool is_comparable(const sku& machine, const settings& by) {
    return machine.speed || machine.gpu_model.empty() || by.gpu_model.empty() || machine.gpu_model == by.gpu_model;
}

option of_machine(const sku_fit& made, const settings& by) {
    option out;
    const bool same = made.machine->name == by.sku;
    out.kind = !same ? option_kind::sku : made.gpus == by.now.gpus ? option_kind::keep : option_kind::gpus;
    out.gpus = made.gpus;
    out.uncapped_gpus = made.uncapped_gpus;
    out.whole_gpus = made.gpus;
    out.sku = made.machine->name;
    out.nodes = made.nodes;
    out.price_per_hour = made.price_per_hour;
    out.bound = made.bound;
    return out;
}

std::optional<double> price_of_gpu(const settings& by) {
    const sku* const machine = present_machine(by);
    if (machine == nullptr || !machine->price_per_hour) return std::nullopt;
    return *machine->price_per_hour / machine->gpus;
}

// So many units, each a part of a present GPU.
option of_parts(option_kind kind, std::int32_t units_per_gpu, const settings& by) {
    option out;
    out.kind = kind;
    out.gpus = kind == option_kind::keep ? by.now.gpus : std::max(by.now.gpus, by.now.min_gpus);
    out.uncapped_gpus = out.gpus;
    out.units_per_gpu = units_per_gpu;
    out.sku = by.sku;
    out.whole_gpus = static_cast<double>(out.gpus) / units_per_gpu;
    const sku* const machine = present_machine(by);
    const double per_node = machine != nullptr ? std::max(machine->gpus, 1.0) : 1.0;
    out.nodes = static_cast<std::int32_t>(std::ceil(std::ceil(out.whole_gpus) / per_node));
    if (const std::optional<double> price = price_of_gpu(by)) out.price_per_hour = out.whole_gpus * *price;
    return out;
}

std::optional<option> mig_option(const gpu_need& need, const settings& by) {
    if (!by.sharing.mig || !by.now.replicated) return std::nullopt;
    const std::vector<mig_profile> profiles =
        by.mig_profiles.empty() ? profiles_of(by.gpu_model, by.gpu_memory_bytes) : by.mig_profiles;
    const mig_profile* const found = smallest_profile(profiles, need, by.now.goal_util_percent, by.mig_slices);
    if (found == nullptr) return std::nullopt;
    option out = of_parts(option_kind::mig, found->per_gpu, by);
    out.mig_profile = found->name;
    const double slices = slices_needed(need, by.now.goal_util_percent, by.mig_slices);
    const auto holds = [&](const mig_profile& one) { return one.slices < found->slices && one.slices >= slices; };
    out.bound = std::any_of(profiles.begin(), profiles.end(), holds) ? bound_by::memory : bound_by::compute;
    return out;
}

std::optional<option> share_option(const gpu_need& need, const settings& by) {
    if ((!by.sharing.mps && !by.sharing.time_slicing) || !by.now.replicated || by.gpu_memory_bytes == 0)
        return std::nullopt;
    const std::int32_t replicas = replicas_per_gpu(by.gpu_memory_bytes, need, by.now.goal_util_percent);
    if (replicas < 2) return std::nullopt;
    option out = of_parts(option_kind::share, replicas, by);
    const bool memory_allows_more =
        need.memory_bytes == 0 || usable_bytes(by.gpu_memory_bytes) / need.memory_bytes > replicas;
    out.bound = memory_allows_more ? bound_by::compute : bound_by::memory;
    return out;
}

// The cheapest, then the least of a GPU, then what changes least.  What has no price is behind what has one, and another
// machine without one behind everything: fewer GPUs of it may cost more.
bool better(const option& a, const option& b) {
    const auto key = [](const option& of) {
        const bool blind = of.kind == option_kind::sku && !of.price_per_hour;
        return std::tuple(of.price_per_hour.value_or(HUGE_VAL), blind, of.whole_gpus, static_cast<int>(of.kind),
                          of.nodes, std::string_view(of.sku));
    };
    return key(a) < key(b);
}

verdict verdict_on(const recommendation& made, const settings& by) {
    if (by.profile == profile::vpa) return verdict::report;
    if (made.confidence < by.hold_below && !made.after_oom) return verdict::hold;
    if (made.options.empty()) return verdict::nothing;
    return made.options.front().kind == option_kind::keep ? verdict::keep : verdict::change;
}

}  // namespace

const char* memory_signal_name(memory_signal one) noexcept { return signal_names[static_cast<std::size_t>(one)]; }
const char* option_kind_name(option_kind one) noexcept { return option_names[static_cast<std::size_t>(one)]; }
const char* verdict_name(verdict one) noexcept { return verdict_names[static_cast<std::size_t>(one)]; }

std::optional<option> present_option(const settings& by) {
    if (by.gpu_memory_bytes == 0) return std::nullopt;
    return of_parts(option_kind::keep, 1, by);
}

std::vector<option> options_for(const gpu_need& need, const settings& by) {
    workload load = by.now;
    load.need = need;
    std::vector<option> out;
    if (by.machines.empty() && by.gpu_memory_bytes > 0) {
        const sku only = unnamed_machine(by);
        if (const std::optional<sku_fit> made = fit(only, load)) out.push_back(of_machine(*made, by));
    }
    for (const sku_fit& made : fitting(by.machines, load))
        if (is_comparable(*made.machine, by)) out.push_back(of_machine(made, by));
    if (by.gpu_memory_bytes > 0 || !by.mig_profiles.empty())
        if (std::optional<option> made = mig_option(need, by)) out.push_back(*std::move(made));
    if (std::optional<option> made = share_option(need, by)) out.push_back(*std::move(made));
    std::stable_sort(out.begin(), out.end(), better);
    return out;
}

recommendation recommend(const usage& from, const settings& by, std::int64_t now_ms) {
    recommendation out;
    out.confidence = confidence_of(from.seen, by.confidence_interval_ms);
    out.after_oom = from.ooms > 0;
    out.signal = signal_of(from, by);
    out.busy = busy_estimate(from, by, out.confidence);
    out.memory = memory_estimate(from, by, out.confidence);
    out.expired = from.last_ms != peak_window::none &&
                  expired({0, from.last_ms, 1}, 0, now_ms, std::max(by.usage.peaks.interval_ms, by.usage.half_life_ms),
                          windows_kept);
    if (by.profile == profile::gpu) {
        out.need = need_of(out, by);
        out.now = present_option(by);
        out.options = options_for(out.need, by);
    }
    out.verdict = verdict_on(out, by);
    return out;
}

}  // namespace gputide::rightsize
