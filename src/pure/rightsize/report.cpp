#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "rightsize/recommend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gputide::rightsize {
namespace {

std::string fixed(double value, int digits) {
    const double factor = std::pow(10.0, digits);
    return shortest(std::round(value * factor) / factor);
}

// Formats a price with three decimals.
std::string price_text(double value) {
    std::string out = shortest(std::round(value * 1000.0) / 1000.0);
    const std::size_t point = out.find('.');
    if (point == std::string::npos) return out + ".000";
    return out.append(4 - std::min<std::size_t>(4, out.size() - point), '0');
}

// Writes null for a missing value.
void write_optional(json_writer& out, std::string_view name, const std::optional<double>& value) {
    out.member(name, value.value_or(std::numeric_limits<double>::quiet_NaN()));
}

void write_bounds(json_writer& out, std::string_view name, const bounds& bounds) {
    out.key(name).begin_object();
    out.member("lower", bounds.lower).member("target", bounds.target).member("upper", bounds.upper).end_object();
}

const char* cap_name(const estimate& estimate) {
    if (estimate.final.target > estimate.uncapped.target) return "min";
    if (estimate.final.target < estimate.uncapped.target) return "max";
    return "none";
}

void write_estimate(json_writer& out, std::string_view name, const char* unit, const estimate& estimate) {
    out.key(name).begin_object().member("unit", unit);
    write_bounds(out, "percentiles", estimate.percentiles);
    write_bounds(out, "with_margin", estimate.with_margin);
    write_bounds(out, "with_confidence", estimate.with_confidence);
    write_bounds(out, "uncapped", estimate.uncapped);
    out.member("capped_by", cap_name(estimate));
    out.member("lower", estimate.final.lower)
        .member("target", estimate.final.target)
        .member("upper", estimate.final.upper);
    out.end_object();
}

void write_option(json_writer& out, const option& option) {
    out.begin_object().member("kind", option_kind_name(option.kind)).member("gpus", option.gpus);
    out.member("uncapped_gpus", option.uncapped_gpus).member("whole_gpus", option.whole_gpus);
    if (!option.sku.empty()) out.member("sku", option.sku);
    if (!option.mig_profile.empty()) out.member("mig_profile", option.mig_profile);
    out.member("per_gpu", option.units_per_gpu).member("nodes", option.nodes);
    write_optional(out, "price_per_hour", option.price_per_hour);
    out.member("bound_by", bound_by_name(option.bound)).end_object();
}

void write_option(json_writer& out, std::string_view name, const option* option) {
    out.key(name);
    if (option != nullptr) {
        write_option(out, *option);
    } else {
        out.null();
    }
}

void write_options(json_writer& out, const std::vector<option>& options) {
    out.key("options").begin_array();
    for (const option& option : options) write_option(out, option);
    out.end_array();
}

void write_need(json_writer& out, const gpu_need& need) {
    out.key("need").begin_object().member("memory_bytes", need.memory_bytes);
    out.member("util_percent", need.util_percent).end_object();
}

void write_samples(json_writer& out, const usage& usage) {
    out.key("samples").begin_object().member("busy", usage.seen.samples).member("memory", usage.memory_samples);
    out.member("oom", usage.ooms).member("units", usage.units.size());
    if (usage.seen.samples > 0) {
        out.member("first", format_rfc3339_ms(usage.seen.first_ms))
            .member("last", format_rfc3339_ms(usage.seen.last_ms));
    }
    out.end_object();
}

// Writes resources in the format of a VerticalPodAutoscaler's status, so that its tools can read them.
void write_resources(json_writer& out, std::string_view name, amount busy, amount memory) {
    out.key(name).begin_object().member("cpu", format_text("{}m", busy));
    out.member("memory", std::to_string(memory)).end_object();
}

void write_status(json_writer& out, const recommendation& recommendation, std::string_view container) {
    out.key("container_recommendation").begin_object();
    out.member("containerName", container.empty() ? std::string_view("*") : container);
    write_resources(out, "lowerBound", recommendation.busy.final.lower, recommendation.memory.final.lower);
    write_resources(out, "target", recommendation.busy.final.target, recommendation.memory.final.target);
    write_resources(out, "uncappedTarget", recommendation.busy.uncapped.target, recommendation.memory.uncapped.target);
    write_resources(out, "upperBound", recommendation.busy.final.upper, recommendation.memory.final.upper);
    out.end_object();
}

std::optional<double> saved_per_hour(const recommendation& recommendation) {
    if (recommendation.verdict != verdict::change || !recommendation.now || !recommendation.now->price_per_hour)
        return std::nullopt;
    const std::optional<double> then = recommendation.options.front().price_per_hour;
    if (!then) return std::nullopt;
    return *recommendation.now->price_per_hour - *then;
}

std::string money_text(const recommendation& recommendation) {
    const std::optional<double> saved = saved_per_hour(recommendation);
    if (!saved) return "; its price is unknown";
    return format_text("; {} an hour instead of {}", price_text(*recommendation.options.front().price_per_hour),
                       price_text(*recommendation.now->price_per_hour));
}

std::string reason_text(const recommendation& recommendation, const settings& settings) {
    const std::string sure = format_text("confidence {}", fixed(recommendation.confidence, 3));
    switch (recommendation.verdict) {
        case verdict::report:
            return format_text("target {} cores and {}, {}",
                               fixed(static_cast<double>(recommendation.busy.final.target) / 1000.0, 3),
                               bytes_text(recommendation.memory.final.target), sure);
        case verdict::hold:
            return format_text("not enough history for a change: {}, {} is needed", sure,
                               fixed(settings.hold_below, 3));
        case verdict::nothing:
            return format_text("no listed option has {} per GPU at {} %", bytes_text(recommendation.need.memory_bytes),
                               fixed(recommendation.need.util_percent, 1));
        case verdict::keep:
        case verdict::change:
            break;
    }
    const option& best = recommendation.options.front();
    std::string out = format_text("each GPU needs {} and {} % ({}): ", bytes_text(recommendation.need.memory_bytes),
                                  fixed(recommendation.need.util_percent, 1), sure);
    out += option_text(best);
    if (recommendation.verdict == verdict::keep) return out += ", as it is now";
    out += format_text(", limited by {}", bound_by_name(best.bound));
    return out += money_text(recommendation);
}

void write_caps(json_writer& out, std::string_view name, const caps& caps) {
    out.key(name).begin_object().member("min", caps.min).member("max", caps.max).end_object();
}

void write_machines(json_writer& out, const std::vector<sku>& machines) {
    out.key("skus").begin_array();
    for (const sku& machine : machines) {
        out.begin_object().member("name", machine.name).member("gpu_model", machine.gpu_model);
        out.member("gpu_memory_bytes", machine.gpu_memory_bytes).member("gpus", machine.gpus);
        write_optional(out, "speed", machine.speed);
        write_optional(out, "price_per_hour", machine.price_per_hour);
        out.end_object();
    }
    out.end_array();
}

}  // namespace

std::string option_text(const option& option) {
    const std::string gpus = option.gpus == 1 ? "1 GPU" : format_text("{} GPUs", option.gpus);
    const std::string on = option.sku.empty() ? "" : format_text(" of {}", option.sku);
    switch (option.kind) {
        case option_kind::keep:
        case option_kind::gpus:
        case option_kind::sku:
            break;
        case option_kind::mig:
            return format_text("{} MIG {}, of which a GPU offers {}", option.gpus, option.mig_profile,
                               option.units_per_gpu);
        case option_kind::share:
            return format_text("share: {} replicas per GPU", option.units_per_gpu);
    }
    // A replica runs on one machine, so the number of machines is the number of replicas.
    return gpus + on + (option.nodes > 1 ? format_text(" ({} machines and replicas)", option.nodes) : "");
}

std::string report_json(const recommendation& recommendation, const usage& usage, const settings& settings,
                        const report_of& subject) {
    const bool gpu = settings.profile == profile::gpu;
    const std::string_view container =
        subject.container.empty() ? std::string_view(settings.container) : subject.container;
    json_writer out;
    out.begin_object().member("time", format_rfc3339_ms(subject.now_ms)).member("name", settings.name);
    out.member("container", container).member("profile", profile_name(settings.profile));
    out.member("verdict", verdict_name(recommendation.verdict)).member("update_mode", update_mode_name(settings.mode));
    out.member("confidence", recommendation.confidence).member("hold_below", settings.hold_below);
    out.member("after_oom", recommendation.after_oom).member("expired", recommendation.expired);
    write_samples(out, usage);
    out.member("memory_signal", memory_signal_name(recommendation.signal));
    write_estimate(out, "busy", gpu ? "percent" : "millicores", recommendation.busy);
    write_estimate(out, "memory", "bytes", recommendation.memory);
    if (gpu) {
        write_need(out, recommendation.need);
        write_option(out, "now", recommendation.now ? &*recommendation.now : nullptr);
        write_option(out, "recommendation", recommendation.options.empty() ? nullptr : &recommendation.options.front());
        write_option(out, "runner_up", recommendation.options.size() < 2 ? nullptr : &recommendation.options[1]);
        write_options(out, recommendation.options);
        write_optional(out, "saves_per_hour", saved_per_hour(recommendation));
    } else {
        write_status(out, recommendation, container);
    }
    out.member("reason", reason_text(recommendation, settings)).end_object();
    return out.take();
}

std::string options_json(const gpu_need& need, const settings& settings) {
    const std::vector<option> options = options_for(need, settings);
    const std::optional<option> now = present_option(settings);
    const auto first = [&](auto fits) {
        const auto found = std::ranges::find_if(options, fits);
        return found == options.end() ? nullptr : &*found;
    };
    json_writer out;
    out.begin_object();
    write_need(out, need);
    write_option(out, "now", now ? &*now : nullptr);
    write_options(out, options);
    write_option(out, "sku", first([](const option& option) { return option.kind <= option_kind::sku; }));
    write_option(out, "mig", first([](const option& option) { return option.kind == option_kind::mig; }));
    write_option(out, "share", first([](const option& option) { return option.kind == option_kind::share; }));
    out.end_object();
    return out.take();
}

std::string settings_json(const settings& settings, const text::report& findings) {
    json_writer out;
    out.begin_object().member("profile", profile_name(settings.profile)).member("name", settings.name);
    out.member("container", settings.container).member("update_mode", update_mode_name(settings.mode));
    out.member("half_life_ms", settings.usage.half_life_ms)
        .member("memory_interval_ms", settings.usage.peaks.interval_ms);
    out.member("confidence_interval_ms", settings.confidence_interval_ms).member("hold_below", settings.hold_below);
    out.member("oom_ratio", settings.usage.peaks.oom.ratio)
        .member("oom_least_bytes", settings.usage.peaks.oom.min_bytes);
    out.member("record_after_zero", settings.usage.peaks.record_after_zero);
    out.member("target_percentile", settings.at.target).member("lower_percentile", settings.at.lower);
    out.member("upper_percentile", settings.at.upper).member("busy_margin", settings.busy_margin);
    out.member("memory_margin", settings.memory_margin).member("containers", settings.containers);
    out.member("least_busy", settings.min_pod_busy).member("least_memory_bytes", settings.min_pod_memory_bytes);
    out.member("busy_step", settings.busy_step).member("memory_step_bytes", settings.memory_step_bytes);
    write_caps(out, "busy_caps", settings.busy_caps);
    write_caps(out, "memory_caps", settings.memory_caps);
    out.member("gpus", settings.now.gpus).member("goal_util_percent", settings.now.goal_util_percent);
    out.member("replicated", settings.now.replicated).member("splittable", settings.now.splittable);
    out.member("min_gpus", settings.now.min_gpus).member("max_gpus", settings.now.max_gpus);
    out.member("sku", settings.sku)
        .member("gpu_model", settings.gpu_model)
        .member("gpu_memory_bytes", settings.gpu_memory_bytes);
    out.member("mig", settings.sharing.mig)
        .member("time_slicing", settings.sharing.time_slicing)
        .member("mps", settings.sharing.mps);
    write_machines(out, settings.machines);
    out.key("findings");
    text::write_json(out, findings);
    out.end_object();
    return out.take();
}

}  // namespace gputide::rightsize
