#include "rightsize/settings.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "text/document.hpp"
#include "text/setting.hpp"

#include <array>
#include <optional>

namespace gputide::rightsize {
namespace {

constexpr std::array<std::string_view, 2> profile_names{"gpu", "vpa"};
constexpr double day_ms = 86'400'000.0;
constexpr double max_ms = 366.0 * day_ms;

// Accepts quoted numbers, like Kubernetes' quantities.
constexpr text::value_rule a_number(double min, double max) {
    return {.form = text::value_form::number, .min = min, .max = max, .may_be_quoted = true};
}
constexpr text::value_rule a_whole(double min, double max) {
    return {.form = text::value_form::whole, .min = min, .max = max, .may_be_quoted = true};
}
constexpr text::value_rule a_percentile = a_number(0, 1);
constexpr text::value_rule a_margin = a_number(0, 10);
constexpr text::value_rule an_amount = a_whole(0, static_cast<double>(max_amount));
constexpr text::value_rule some_bytes{.form = text::value_form::bytes,
                                      .min = 0,
                                      .max = static_cast<double>(max_amount),
                                      .expected = "bytes such as 80Gi, up to 100T"};
constexpr text::value_rule a_price = a_number(0, 1e9);
constexpr text::value_rule a_speed = a_number(0.001, 1'000);
constexpr text::value_rule a_slice_count = a_whole(1, 1'000);

// The defaults of the VPA that differ from ours: kubernetes/autoscaler vertical-pod-autoscaler/docs/flags.md.
void set_profile(settings& settings, profile entry) {
    settings.profile = entry;
    const bool gpu = entry == profile::gpu;
    settings.usage.busy_buckets = gpu ? &utilization_layout : &cpu_layout;
    settings.usage.peaks.interval_ms = gpu ? 3'600'000 : 86'400'000;
    settings.usage.peaks.oom.min_bytes = gpu ? 1'073'741'824 : 104'857'600;
    settings.usage.peaks.record_after_zero = gpu;
    settings.memory_margin = gpu ? 0.05 : 0.15;
    settings.hold_below = gpu ? 0.25 : 0.0;
    settings.min_pod_busy = gpu ? 0 : 25;
    settings.min_pod_memory_bytes = gpu ? 0 : 262'144'000;
}

bool fill_profile(settings& settings, const text::setting_value& value) {
    set_profile(settings, static_cast<profile>(value.whole));
    return true;
}

bool read_mode(std::string_view text, settings& settings) {
    const std::optional<update_mode> mode = update_mode_of(text);
    if (mode) settings.mode = *mode;
    return mode.has_value();
}

template <auto... Path>
constexpr auto to = text::fill_member<settings, Path...>;
template <auto... Path>
constexpr auto peaks = text::fill_member<settings, &settings::usage, &usage_rules::peaks, Path...>;
template <auto Member>
constexpr auto now = text::fill_member<settings, &settings::now, Member>;
template <auto Member>
constexpr auto sharing = text::fill_member<settings, &settings::sharing, Member>;

// Rows are applied in their order: the profile is first, because it determines defaults of others.
constexpr std::array rows{
    setting_row{"profile", text::a_choice(profile_names), fill_profile, "gpu",
                "gpu: utilization and memory of GPUs. vpa: cpu and memory, with the VPA's own defaults"},
    setting_row{"name", text::a_text(), to<&settings::name>, "", "of the workload, for the report"},
    setting_row{"container", text::a_text(), to<&settings::container>, "the first that is named",
                "the container with the policy to use in a VPA"},
    setting_row{"half_life_ms", a_whole(1'000, max_ms), to<&settings::usage, &usage_rules::half_life_ms>, "24 h",
                "after this time a sample counts half"},
    setting_row{"memory_interval_ms", a_whole(1'000, max_ms), peaks<&peak_rules::interval_ms>, "1 h; vpa: 24 h",
                "one peak of memory counts in each interval"},
    setting_row{"confidence_interval_ms", a_whole(60'000, max_ms), to<&settings::confidence_interval_ms>, "24 h",
                "samples of this time give a confidence of 1"},
    setting_row{"oom_ratio", a_number(1, 100), peaks<&peak_rules::oom, &oom_rules::ratio>, "1.2",
                "memory after an out-of-memory event: at least this many times the usage"},
    setting_row{"oom_least_bytes", some_bytes, peaks<&peak_rules::oom, &oom_rules::min_bytes>, "1 GiB; vpa: 100 MiB",
                "or at least the usage and these bytes"},
    setting_row{"record_after_zero", text::a_flag, peaks<&peak_rules::record_after_zero>, "true; vpa: false",
                "counts a peak after a peak of 0: a pod starts at 0, before its model is loaded"},
    setting_row{"target_percentile", a_percentile, to<&settings::at, &percentiles::target>, "0.9", "of the target"},
    setting_row{"lower_percentile", a_percentile, to<&settings::at, &percentiles::lower>, "0.5", "of the lower bound"},
    setting_row{"upper_percentile", a_percentile, to<&settings::at, &percentiles::upper>, "0.95", "of the upper bound"},
    setting_row{"busy_margin", a_margin, to<&settings::busy_margin>, "0.15", "added share of the utilization"},
    setting_row{"memory_margin", a_margin, to<&settings::memory_margin>, "0.05; vpa: 0.15",
                "added share of the memory"},
    setting_row{"hold_below", a_number(0, 1'000), to<&settings::hold_below>, "0.25; vpa: 0",
                "below this confidence nothing is changed, except after an out-of-memory event"},
    setting_row{"containers", a_whole(1, 1'000), to<&settings::containers>, "1", "that share the pod's minimum"},
    setting_row{"least_busy", an_amount, to<&settings::min_pod_busy>, "0; vpa: 25",
                "minimum of a pod: percent, or millicores"},
    setting_row{"least_memory_bytes", some_bytes, to<&settings::min_pod_memory_bytes>, "0; vpa: 250 MiB",
                "minimum of a pod"},
    setting_row{"busy_step", a_whole(1, static_cast<double>(max_amount)), to<&settings::busy_step>, "1",
                "targets are rounded up to a multiple of it"},
    setting_row{"memory_step_bytes", some_bytes, to<&settings::memory_step_bytes>, "1", "the same for memory"},
    setting_row{"min_memory_bytes", some_bytes, to<&settings::memory_caps, &caps::min>, "", "bounds of the memory"},
    setting_row{"max_memory_bytes", some_bytes, to<&settings::memory_caps, &caps::max>},
    setting_row{"min_busy", an_amount, to<&settings::busy_caps, &caps::min>, "", "bounds of the utilization"},
    setting_row{"max_busy", an_amount, to<&settings::busy_caps, &caps::max>},
    setting_row{"gpus", a_whole(1, gpu_count_limit), now<&workload::gpus>, "1", "GPUs of one replica"},
    setting_row{"goal_util_percent", a_number(1, 100), now<&workload::goal_util_percent>, "80",
                "the utilization to aim at"},
    setting_row{"replicated", text::a_flag, now<&workload::replicated>, "true", "each GPU serves independently"},
    setting_row{"splittable", text::a_flag, now<&workload::splittable>, "false",
                "false: the model cannot be spread over several GPUs"},
    setting_row{"min_gpus", a_whole(0, gpu_count_limit), now<&workload::min_gpus>, "", "bounds of the GPUs"},
    setting_row{"max_gpus", a_whole(0, gpu_count_limit), now<&workload::max_gpus>},
    setting_row{"sku", text::a_text(), to<&settings::sku>, "", "the present machine: a name in `skus`"},
    setting_row{"gpu_model", text::a_text(), to<&settings::gpu_model>, "of `sku`", "the present GPU"},
    setting_row{"gpu_memory_bytes", some_bytes, to<&settings::gpu_memory_bytes>, "of `sku`",
                "memory of the present GPU"},
    setting_row{"mig", text::a_flag, sharing<&sharing_rules::mig>, "true", "MIG profiles may be recommended"},
    setting_row{"time_slicing", text::a_flag, sharing<&sharing_rules::time_slicing>, "false",
                "time slicing may be recommended"},
    setting_row{"mps", text::a_flag, sharing<&sharing_rules::mps>, "false", "MPS may be recommended"},
    setting_row{"mig_slices", a_slice_count, to<&settings::mig_slices>, "7", "compute slices of the whole GPU"},
    setting_row{"update_mode", text::a_text("Off, Initial, Recreate, Auto, InPlaceOrRecreate or InPlace"),
                text::fill_by<settings, read_mode>, "Off", "a VPA's update mode"},
};

constexpr std::array profile_rows{
    text::setting<mig_profile>{"name", text::a_text(), text::fill_member<mig_profile, &mig_profile::name>},
    text::setting<mig_profile>{"memory_bytes", some_bytes, text::fill_member<mig_profile, &mig_profile::memory_bytes>},
    text::setting<mig_profile>{"slices", a_slice_count, text::fill_member<mig_profile, &mig_profile::slices>},
    text::setting<mig_profile>{"per_gpu", a_slice_count, text::fill_member<mig_profile, &mig_profile::per_gpu>},
};

void read_profiles(text::mapping& from, settings& to) {
    const auto list = from.list("mig_profiles");
    if (!list) return;
    for (const text::cursor& cursor : *list) {
        text::mapping members(cursor, from.findings());
        mig_profile& profile = to.mig_profiles.emplace_back();
        text::read_members(members, std::span<const text::setting<mig_profile>>(profile_rows), profile);
        if (profile.name.empty() || profile.memory_bytes == 0 || profile.slices == 0 || profile.per_gpu == 0)
            members.error("name", "missing", "a MIG profile needs name, memory_bytes, slices and per_gpu");
        members.finish(text::severity::error);
    }
}

// A machine as written; its example price is used only if the settings allow it.
struct written_machine {
    rightsize::sku sku;
    std::optional<double> example_price_per_hour;
};
using machine_row = text::setting<written_machine>;
template <auto Member>
constexpr auto machine = text::fill_member<written_machine, &written_machine::sku, Member>;
constexpr std::array machine_rows{
    machine_row{"gpu_model", text::a_text(), machine<&sku::gpu_model>},
    machine_row{"gpu_memory_bytes", some_bytes, machine<&sku::gpu_memory_bytes>},
    machine_row{"gpus", a_number(0.01, 1'024), machine<&sku::gpus>},
    machine_row{"speed", a_speed, machine<&sku::speed>},
    machine_row{"price_per_hour", a_price, machine<&sku::price_per_hour>},
    machine_row{"example_price_per_hour", a_price,
                text::fill_member<written_machine, &written_machine::example_price_per_hour>},
};

sku read_machine(const text::cursor& cursor, bool example_prices, text::report& findings) {
    text::mapping members(cursor, findings);
    written_machine out;
    out.sku.name = members.required_text("name");
    text::read_members(members, std::span<const machine_row>(machine_rows), out);
    if (!out.sku.price_per_hour && example_prices) out.sku.price_per_hour = out.example_price_per_hour;
    if (out.sku.gpu_memory_bytes == 0)
        members.error("gpu_memory_bytes", "missing", "gpu_memory_bytes: expected the memory of one GPU, such as 80G");
    members.ignore({"vcpus", "ram_gib", "note"});  // only for people
    members.finish(text::severity::error);
    return std::move(out.sku);
}

void read_machines(text::mapping& from, bool example_prices, settings& to) {
    const auto list = from.list("skus");
    if (!list) return;
    if (list->size() > max_machines) {
        from.error("skus", "too-many", format_text("skus: {} of them, more than {}", list->size(), max_machines));
        return;
    }
    for (const text::cursor& cursor : *list) {
        sku made = read_machine(cursor, example_prices, from.findings());
        for (const sku& other : to.machines)
            if (other.name == made.name)
                from.findings().add(text::severity::error, "duplicate", cursor.where(),
                                    format_text("the machine {} is listed twice", in_quotes(made.name)),
                                    "remove one of them");
        to.machines.push_back(std::move(made));
    }
}

// Reads {NAME: 3.67} into a member of each machine with that name; an unknown name is an error.
void read_by_machine(text::mapping& from, std::string_view member, std::string sku::*name, const text::value_rule& rule,
                     std::optional<double> sku::*into, settings& settings) {
    const std::optional<text::cursor> at = text::object_member(from, member);
    if (!at) return;
    text::mapping values(*at, from.findings());
    if (settings.machines.empty()) {
        from.error(member, "missing-field", format_text("{}: no machines are given to apply it to", member),
                   "list the machines in skus, or add a file with them, such as -f azure-gpu.yaml of the examples");
        return;
    }
    for (sku& machine : settings.machines) {
        const auto fill = [](const text::setting_target& target, const text::setting_value& value) {
            text::put(*static_cast<std::optional<double>*>(target.settings), value);
            return true;
        };
        text::read_member(values, machine.*name, rule, {nullptr, &(machine.*into), fill});
    }
    values.finish(text::severity::error);
}

// Reads a document of kind GpuCatalogue, a separate file for several workloads.
void read_catalog(const text::cursor& cursor, bool example_prices, settings& settings, text::report& findings) {
    text::mapping catalog(cursor, findings);
    catalog.ignore({"apiVersion", "kind", "currency", "sources", "note"});
    read_machines(catalog, example_prices, settings);
    catalog.finish(text::severity::error);
}

struct documents {
    std::optional<text::cursor> own;      // the settings: the document without a kind
    std::optional<text::cursor> catalog;  // kind GpuCatalogue
    std::optional<text::cursor> policy;   // any other kind
};

void sort_in(const text::document& document, documents& into, text::report& findings) {
    const text::cursor at{&document.root, &document.file, ""};
    const text::node* const kind = document.root.find("kind");
    const bool is_catalog = kind != nullptr && kind->text == "GpuCatalogue";
    std::optional<text::cursor>& slot = kind == nullptr ? into.own : is_catalog ? into.catalog : into.policy;
    if (slot)
        findings.add(text::severity::error, "several", at.where(),
                     "there is a second document of this kind; one workload is sized at a time",
                     "give at most one document of settings, one GpuCatalogue and one VerticalPodAutoscaler");
    slot = at;
}

// Reads the settings document, in which an unknown key is an error.
void read_own(const documents& all, settings& settings, text::report& findings) {
    text::mapping own(*all.own, findings);
    text::read_members(own, setting_rows(), settings);
    read_profiles(own, settings);
    const bool example_prices = own.flag("example_prices").value_or(false);
    read_machines(own, example_prices, settings);
    if (all.catalog) read_catalog(*all.catalog, example_prices, settings, findings);
    // The user's prices override those of the machines.  Speeds are measured for this model, relative to the present GPU.
    read_by_machine(own, "prices", &sku::name, a_price, &sku::price_per_hour, settings);
    read_by_machine(own, "speeds", &sku::gpu_model, a_speed, &sku::speed, settings);
    own.finish(text::severity::error);
}

void check_machine(settings& settings, const text::cursor& cursor, text::report& findings) {
    const sku* const present = present_machine(settings);
    if (!settings.sku.empty() && present == nullptr) {
        text::mapping mapping(cursor, findings);
        mapping.error("sku", "not-found",
                      format_text("sku: {} is not among the machines of skus", in_quotes(settings.sku)),
                      "add it there, or give gpu_model and gpu_memory_bytes instead");
    }
    if (present == nullptr) return;
    if (settings.gpu_model.empty()) settings.gpu_model = present->gpu_model;
    if (settings.gpu_memory_bytes == 0) settings.gpu_memory_bytes = present->gpu_memory_bytes;
}

}  // namespace

std::string_view profile_name(profile profile) noexcept { return profile_names[static_cast<std::size_t>(profile)]; }

const sku* present_machine(const settings& settings) {
    for (const sku& machine : settings.machines)
        if (!settings.sku.empty() && machine.name == settings.sku) return &machine;
    return nullptr;
}

std::span<const setting_row> setting_rows() { return rows; }

result<settings> read_settings(std::span<const manifest::text_file> texts, text::report& findings) {
    settings out;
    set_profile(out, profile::gpu);
    std::vector<std::vector<text::document>> read;  // must outlive the cursors
    for (const manifest::text_file& text : texts)
        read.push_back(text::read_documents(text.name, text.content, findings));
    documents all;
    for (const std::vector<text::document>& file : read)
        for (const text::document& document : file) sort_in(document, all, findings);
    if (all.own) {
        read_own(all, out, findings);
    } else if (all.catalog) {
        read_catalog(*all.catalog, false, out, findings);
    }
    if (all.policy) take_vpa(*all.policy, out, findings);
    if (all.own) check_machine(out, *all.own, findings);
    if (error why = findings.as_error(); why.status != status::ok) return why;
    return out;
}

}  // namespace gputide::rightsize
