#include "rightsize/settings.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "config/document.hpp"
#include "rightsize/members.hpp"
#include "rightsize/vpa/manifest.hpp"

#include <array>
#include <optional>

namespace gputide::rightsize {
namespace {

constexpr std::array profile_names{"gpu", "vpa"};
constexpr double most_ms = 366.0 * 86'400'000;
constexpr range duration{1'000, most_ms};
constexpr range fraction{0, 1};
constexpr range bytes{0, static_cast<double>(most)};
constexpr range gpu_count{0, most_gpus};

// The VPA's defaults that differ from ours: kubernetes/autoscaler vertical-pod-autoscaler/docs/flags.md.
void set_profile(settings& settings, profile entry) {
    settings.profile = entry;
    const bool gpu = entry == profile::gpu;
    settings.usage.busy_buckets = gpu ? &utilisation_layout : &cpu_layout;
    settings.usage.peaks.interval_ms = gpu ? 3'600'000 : 86'400'000;
    settings.usage.peaks.oom.least_bytes = gpu ? 1'073'741'824 : 104'857'600;
    settings.usage.peaks.record_after_zero = gpu;
    settings.memory_margin = gpu ? 0.05 : 0.15;
    settings.hold_below = gpu ? 0.25 : 0.0;
    settings.least_busy = gpu ? 0 : 25;
    settings.least_memory_bytes = gpu ? 0 : 262'144'000;
}

void take_counting(config::mapping& from, settings& to) {
    take_whole(from, "half_life_ms", duration, to.usage.half_life_ms);
    take_whole(from, "memory_interval_ms", duration, to.usage.peaks.interval_ms);
    take_whole(from, "confidence_interval_ms", {60'000, most_ms}, to.confidence_interval_ms);
    take_number(from, "oom_ratio", {1, 100}, to.usage.peaks.oom.ratio);
    take_bytes(from, "oom_least_bytes", to.usage.peaks.oom.least_bytes);
    take_flag(from, "record_after_zero", to.usage.peaks.record_after_zero);
}

void take_estimates(config::mapping& from, settings& to) {
    take_number(from, "target_percentile", fraction, to.at.target);
    take_number(from, "lower_percentile", fraction, to.at.lower);
    take_number(from, "upper_percentile", fraction, to.at.upper);
    take_number(from, "busy_margin", {0, 10}, to.busy_margin);
    take_number(from, "memory_margin", {0, 10}, to.memory_margin);
    take_number(from, "hold_below", {0, 1'000}, to.hold_below);
    take_whole(from, "containers", {1, 1'000}, to.containers);
    take_whole(from, "least_busy", bytes, to.least_busy);
    take_bytes(from, "least_memory_bytes", to.least_memory_bytes);
    take_whole(from, "busy_step", {1, static_cast<double>(most)}, to.busy_step);
    take_bytes(from, "memory_step_bytes", to.memory_step_bytes);
    take_bytes(from, "min_memory_bytes", to.memory_caps.least);
    take_bytes(from, "max_memory_bytes", to.memory_caps.highest);
    take_whole(from, "min_busy", bytes, to.busy_caps.least);
    take_whole(from, "max_busy", bytes, to.busy_caps.highest);
}

void take_workload(config::mapping& from, settings& to) {
    take_whole(from, "gpus", {1, most_gpus}, to.now.gpus);
    take_number(from, "goal_util_percent", {1, 100}, to.now.goal_util_percent);
    take_flag(from, "replicated", to.now.replicated);
    take_flag(from, "splittable", to.now.splittable);
    take_whole(from, "min_gpus", gpu_count, to.now.min_gpus);
    take_whole(from, "max_gpus", gpu_count, to.now.max_gpus);
    take_text(from, "sku", to.sku);
    take_text(from, "gpu_model", to.gpu_model);
    take_bytes(from, "gpu_memory_bytes", to.gpu_memory_bytes);
    take_flag(from, "mig", to.sharing.mig);
    take_flag(from, "time_slicing", to.sharing.time_slicing);
    take_flag(from, "mps", to.sharing.mps);
}

void take_profiles(config::mapping& from, settings& to, config::report& findings) {
    take_whole(from, "mig_slices", {1, 1'000}, to.mig_slices);
    const auto list = from.list("mig_profiles");
    if (!list) return;
    for (const config::cursor& cursor : *list) {
        config::mapping profile(cursor, findings);
        mig_profile& mig_profile = to.mig_profiles.emplace_back();
        mig_profile.name = profile.required_text("name");
        take_bytes(profile, "memory_bytes", mig_profile.memory_bytes);
        take_whole(profile, "slices", {1, 1'000}, mig_profile.slices);
        take_whole(profile, "per_gpu", {1, 1'000}, mig_profile.per_gpu);
        if (mig_profile.memory_bytes == 0 || mig_profile.slices == 0 || mig_profile.per_gpu == 0)
            profile.error("name", "missing", "a MIG profile needs name, memory_bytes, slices and per_gpu");
        profile.finish();
    }
}

void take_mode(config::mapping& from, settings& to) {
    const std::optional<std::string> word = from.text("update_mode");
    if (!word) return;
    if (const std::optional<update_mode> mode = update_mode_of(*word)) {
        to.mode = *mode;
        return;
    }
    from.error("update_mode", "unknown-value",
               format_text("update_mode: expected Off, Initial, Recreate, Auto, InPlaceOrRecreate or InPlace, got {}",
                           in_quotes(*word)));
}

std::optional<double> price_in(config::mapping& mapping, std::string_view name) {
    double price = -1.0;
    take_number(mapping, name, {0, 1e9}, price);
    if (price < 0.0) return std::nullopt;
    return price;
}

std::optional<double> positive_in(config::mapping& mapping, std::string_view name, double highest) {
    double value = -1.0;
    take_number(mapping, name, {0.001, highest}, value);
    if (value < 0.0) return std::nullopt;
    return value;
}

sku read_machine(const config::cursor& cursor, bool example_prices, config::report& findings) {
    config::mapping mapping(cursor, findings);
    sku out;
    out.name = mapping.required_text("name");
    take_text(mapping, "gpu_model", out.gpu_model);
    take_bytes(mapping, "gpu_memory_bytes", out.gpu_memory_bytes);
    take_number(mapping, "gpus", {0.01, 1'024}, out.gpus);
    out.speed = positive_in(mapping, "speed", 1'000);
    out.price_per_hour = price_in(mapping, "price_per_hour");
    const std::optional<double> example = price_in(mapping, "example_price_per_hour");
    if (!out.price_per_hour && example_prices) out.price_per_hour = example;
    if (out.gpu_memory_bytes == 0)
        mapping.error("gpu_memory_bytes", "missing", "gpu_memory_bytes: expected the memory of one GPU, such as 80G");
    mapping.ignore({"vcpus", "ram_gib", "note"});  // for people
    mapping.finish();
    return out;
}

void take_machines(config::mapping& from, bool example_prices, settings& to, config::report& findings) {
    const auto list = from.list("skus");
    if (!list) return;
    if (list->size() > most_machines) {
        from.error("skus", "too-many", format_text("skus: {} of them, more than {}", list->size(), most_machines));
        return;
    }
    for (const config::cursor& cursor : *list) {
        sku made = read_machine(cursor, example_prices, findings);
        for (const sku& other : to.machines)
            if (other.name == made.name)
                findings.add(config::severity::error, "duplicate", cursor.where(),
                             format_text("the machine {} is there twice", in_quotes(made.name)),
                             "leave one of them out");
        to.machines.push_back(std::move(made));
    }
}

// Reads {NAME: 3.67}: the user's own price, which overrides the list of machines.
void take_prices(const config::cursor& cursor, settings& settings, config::report& findings) {
    config::mapping mapping(cursor, findings);
    for (sku& machine : settings.machines)
        if (const std::optional<double> price = price_in(mapping, machine.name)) machine.price_per_hour = price;
    mapping.finish();  // an unknown machine
}

// Reads {T4: 0.2}: a GPU's measured speed for this model, relative to the present one.
void take_speeds(const config::cursor& cursor, settings& settings, config::report& findings) {
    config::mapping mapping(cursor, findings);
    for (sku& machine : settings.machines)
        if (const std::optional<double> speed = positive_in(mapping, machine.gpu_model, 1'000)) machine.speed = speed;
    mapping.finish();  // a model without a machine
}

// Reads kind: GpuCatalogue, a separate file that several workloads share.
void take_catalogue(const config::cursor& cursor, bool example_prices, settings& settings, config::report& findings) {
    config::report here;
    config::mapping mapping(cursor, here);
    mapping.ignore({"apiVersion", "kind", "currency", "sources", "note"});
    take_machines(mapping, example_prices, settings, here);
    mapping.finish();
    config::fail_on_unknown_keys(std::move(here), findings);
}

struct documents {
    std::optional<config::cursor> own;        // settings: the document without a kind
    std::optional<config::cursor> catalogue;  // kind GpuCatalogue
    std::optional<config::cursor> policy;     // any other kind
};

void sort_in(const config::document& document, documents& into, config::report& findings) {
    const config::cursor at{&document.root, &document.file, ""};
    const config::node* const kind = document.root.find("kind");
    const bool is_catalogue = kind != nullptr && kind->text == "GpuCatalogue";
    std::optional<config::cursor>& slot = kind == nullptr ? into.own : is_catalogue ? into.catalogue : into.policy;
    if (slot)
        findings.add(config::severity::error, "several", at.where(),
                     "there is a second document of this sort; one workload is sized at a time",
                     "give at most one document of settings, one GpuCatalogue and one VerticalPodAutoscaler");
    slot = at;
}

// For our own documents: an unknown key is an error, as it would be ignored silently.
void take_own(const documents& all, settings& settings, config::report& findings) {
    config::report here;
    config::mapping mapping(*all.own, here);
    auto word = static_cast<std::size_t>(settings.profile);
    take_word(mapping, "profile", profile_names, word);
    set_profile(settings, static_cast<profile>(word));
    take_text(mapping, "name", settings.name);
    take_text(mapping, "container", settings.container);
    take_counting(mapping, settings);
    take_estimates(mapping, settings);
    take_workload(mapping, settings);
    take_profiles(mapping, settings, here);
    take_mode(mapping, settings);
    bool example_prices = false;
    take_flag(mapping, "example_prices", example_prices);
    take_machines(mapping, example_prices, settings, here);
    if (all.catalogue) take_catalogue(*all.catalogue, example_prices, settings, here);
    if (const std::optional<config::cursor> prices = mapping.object("prices")) take_prices(*prices, settings, here);
    if (const std::optional<config::cursor> speeds = mapping.object("speeds")) take_speeds(*speeds, settings, here);
    mapping.finish();
    config::fail_on_unknown_keys(std::move(here), findings);
}

void check_machine(settings& settings, const config::cursor& cursor, config::report& findings) {
    const sku* const present = present_machine(settings);
    if (!settings.sku.empty() && present == nullptr) {
        config::mapping mapping(cursor, findings);
        mapping.error("sku", "not-found",
                      format_text("sku: {} is not among the machines of skus", in_quotes(settings.sku)),
                      "add it there, or give gpu_model and gpu_memory_bytes instead");
    }
    if (present == nullptr) return;
    if (settings.gpu_model.empty()) settings.gpu_model = present->gpu_model;
    if (settings.gpu_memory_bytes == 0) settings.gpu_memory_bytes = present->gpu_memory_bytes;
}

}  // namespace

const char* profile_name(profile profile) noexcept { return profile_names[static_cast<std::size_t>(profile)]; }

const sku* present_machine(const settings& settings) {
    for (const sku& machine : settings.machines)
        if (!settings.sku.empty() && machine.name == settings.sku) return &machine;
    return nullptr;
}

result<settings> read_settings(std::span<const config::text_file> texts, config::report& findings) {
    settings out;
    set_profile(out, profile::gpu);
    std::vector<std::vector<config::document>> read;  // the cursors point into it
    for (const config::text_file& text : texts)
        read.push_back(config::read_documents(text.name, text.content, findings));
    documents all;
    for (const std::vector<config::document>& file : read)
        for (const config::document& document : file) sort_in(document, all, findings);
    if (all.own) {
        take_own(all, out, findings);
    } else if (all.catalogue) {
        take_catalogue(*all.catalogue, false, out, findings);
    }
    if (all.policy) take_vpa(*all.policy, out, findings);
    if (all.own) check_machine(out, *all.own, findings);
    if (error why = findings.as_error(); why.status != status::ok) return why;
    return out;
}

}  // namespace gputide::rightsize
