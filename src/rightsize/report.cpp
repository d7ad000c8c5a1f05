#include "rightsize/report.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::rightsize {
namespace {

std::string fixed(double value, int digits) {
    const double factor = std::pow(10.0, digits);
    return shortest(std::round(value * factor) / factor);
}

void write_optional(json_writer& out, std::string_view name, const std::optional<double>& value) {
    out.key(name);
    if (value) {
        out.number(*value);
    } else {
        out.null();
    }
}

void write_bounds(json_writer& out, std::string_view name, const bounds& one) {
    out.key(name).begin_object();
    out.member("lower", one.lower).member("target", one.target).member("upper", one.upper).end_object();
}

const char* cap_name(const estimate& one) {
    if (one.final.target > one.uncapped.target) return "min";
    if (one.final.target < one.uncapped.target) return "max";
    return "none";
}

void write_estimate(json_writer& out, std::string_view name, const char* unit, const estimate& one) {
    out.key(name).begin_object().member("unit", unit);
    write_bounds(out, "percentiles", one.percentiles);
    write_bounds(out, "with_margin", one.with_margin);
    write_bounds(out, "with_confidence", one.with_confidence);
    write_bounds(out, "uncapped", one.uncapped);
    out.member("capped_by", cap_name(one));
    out.member("lower", one.final.lower).member("target", one.final.target).member("upper", one.final.upper);
    out.end_object();
}

void write_option(json_writer& out, const option& one) {
    out.begin_object().member("kind", option_kind_name(one.kind)).member("gpus", one.gpus);
    out.member("uncapped_gpus", one.uncapped_gpus).member("whole_gpus", one.whole_gpus);
    if (!one.sku.empty()) out.member("sku", one.sku);
    if (!one.mig_profile.empty()) out.member("mig_profile", one.mig_profile);
    out.member("per_gpu", one.units_per_gpu).member("nodes", one.nodes);
    write_optional(out, "price_per_hour", one.price_per_hour);
    out.member("bound_by", bound_by_name(one.bound)).end_object();
}

void write_option(json_writer& out, std::string_view name, const option* one) {
    out.key(name);
    if (one != nullptr) {
        write_option(out, *one);
    } else {
        out.null();
    }
}

void write_options(json_writer& out, const std::vector<option>& options) {
    out.key("options").begin_array();
    for (const option& one : options) write_option(out, one);
    out.end_array();
}

void write_need(json_writer& out, const gpu_need& need) {
    out.key("need").begin_object().member("memory_bytes", need.memory_bytes);
    out.member("util_percent", need.util_percent).end_object();
}

void write_samples(json_writer& out, const usage& from) {
    out.key("samples").begin_object().member("busy", from.seen.samples).member("memory", from.memory_samples);
    out.member("oom", from.ooms).member("units", from.units.size());
    if (from.seen.samples > 0) {
        out.member("first", format_rfc3339_ms(from.seen.first_ms)).member("last", format_rfc3339_ms(from.seen.last_ms));
    }
    out.end_object();
}

// As in a VerticalPodAutoscaler's status, so that what reads one reads this.
void write_resources(json_writer& out, std::string_view name, amount busy, amount memory) {
    out.key(name).begin_object().member("cpu", format_text("{}m", busy));
    out.member("memory", std::to_string(memory)).end_object();
}

void write_status(json_writer& out, const recommendation& made, std::string_view container) {
    out.key("container_recommendation").begin_object();
    out.member("containerName", container.empty() ? std::string_view("*") : container);
    write_resources(out, "lowerBound", made.busy.final.lower, made.memory.final.lower);
    write_resources(out, "target", made.busy.final.target, made.memory.final.target);
    write_resources(out, "uncappedTarget", made.busy.uncapped.target, made.memory.uncapped.target);
    write_resources(out, "upperBound", made.busy.final.upper, made.memory.final.upper);
    out.end_object();
}

std::optional<double> saved_per_hour(const recommendation& made) {
    if (made.verdict != verdict::change || !made.now || !made.now->price_per_hour) return std::nullopt;
    const std::optional<double> then = made.options.front().price_per_hour;
    if (!then) return std::nullopt;
    return *made.now->price_per_hour - *then;
}

std::string money_text(const recommendation& made) {
    const std::optional<double> saved = saved_per_hour(made);
    if (!saved) return "; its price is not known";
    return format_text("; {} an hour instead of {}", fixed(*made.options.front().price_per_hour, 4),
                       fixed(*made.now->price_per_hour, 4));
}

std::string reason_text(const recommendation& made, const settings& by) {
    const std::string sure = format_text("confidence {}", fixed(made.confidence, 3));
    switch (made.verdict) {
        case verdict::report:
            return format_text("target {} millicores and {} bytes, {}", made.busy.final.target,
                               made.memory.final.target, sure);
        case verdict::hold:
            return format_text("too little is known to change anything: {}, {} is needed", sure,
                               fixed(by.hold_below, 3));
        case verdict::nothing:
            return format_text("nothing that is listed holds {} bytes a GPU at {} %", made.need.memory_bytes,
                               fixed(made.need.util_percent, 1));
        case verdict::keep:
        case verdict::change:
            break;
    }
    const option& best = made.options.front();
    std::string out = format_text("each GPU needs {} bytes and {} % ({}): ", made.need.memory_bytes,
                                  fixed(made.need.util_percent, 1), sure);
    out += option_text(best);
    if (made.verdict == verdict::keep) return out += ", as it is now";
    out += format_text(", bound by {}", bound_by_name(best.bound));
    return out += money_text(made);
}

void write_caps(json_writer& out, std::string_view name, const caps& by) {
    out.key(name).begin_object().member("min", by.least).member("max", by.highest).end_object();
}

void write_machines(json_writer& out, const std::vector<sku>& machines) {
    out.key("skus").begin_array();
    for (const sku& one : machines) {
        out.begin_object().member("name", one.name).member("gpu_model", one.gpu_model);
        out.member("gpu_memory_bytes", one.gpu_memory_bytes).member("gpus", one.gpus);
        write_optional(out, "speed", one.speed);
        write_optional(out, "price_per_hour", one.price_per_hour);
        out.end_object();
    }
    out.end_array();
}

}  // namespace

std::string option_text(const option& one) {
    const std::string gpus = one.gpus == 1 ? "1 GPU" : format_text("{} GPUs", one.gpus);
    const std::string on = one.sku.empty() ? "" : format_text(" of {}", one.sku);
    switch (one.kind) {
        case option_kind::keep:
        case option_kind::gpus:
        case option_kind::sku:
            break;
        case option_kind::mig:
            return format_text("{} MIG {}, of which a GPU offers {}", one.gpus, one.mig_profile, one.units_per_gpu);
        case option_kind::share:
            return format_text("share: {} replicas per GPU", one.units_per_gpu);
    }
    return gpus + on;
}

std::string report_json(const recommendation& made, const usage& from, const settings& by, const report_of& subject) {
    const bool gpu = by.profile == profile::gpu;
    const std::string_view container = subject.container.empty() ? std::string_view(by.container) : subject.container;
    json_writer out;
    out.begin_object().member("time", format_rfc3339_ms(subject.now_ms)).member("name", by.name);
    out.member("container", container).member("profile", profile_name(by.profile));
    out.member("verdict", verdict_name(made.verdict)).member("update_mode", update_mode_name(by.mode));
    out.member("confidence", made.confidence).member("hold_below", by.hold_below);
    out.member("after_oom", made.after_oom).member("expired", made.expired);
    write_samples(out, from);
    out.member("memory_signal", memory_signal_name(made.signal));
    write_estimate(out, "busy", gpu ? "percent" : "millicores", made.busy);
    write_estimate(out, "memory", "bytes", made.memory);
    if (gpu) {
        write_need(out, made.need);
        write_option(out, "now", made.now ? &*made.now : nullptr);
        write_option(out, "recommendation", made.options.empty() ? nullptr : &made.options.front());
        write_option(out, "runner_up", made.options.size() < 2 ? nullptr : &made.options[1]);
        write_options(out, made.options);
        write_optional(out, "saves_per_hour", saved_per_hour(made));
    } else {
        write_status(out, made, container);
    }
    out.member("reason", reason_text(made, by)).end_object();
    return out.take();
}

std::string options_json(const gpu_need& need, const settings& by) {
    const std::vector<option> options = options_for(need, by);
    const std::optional<option> now = present_option(by);
    const auto first = [&](auto fits) {
        const auto found = std::find_if(options.begin(), options.end(), fits);
        return found == options.end() ? nullptr : &*found;
    };
    json_writer out;
    out.begin_object();
    write_need(out, need);
    write_option(out, "now", now ? &*now : nullptr);
    write_options(out, options);
    write_option(out, "sku", first([](const option& one) { return one.kind <= option_kind::sku; }));
    write_option(out, "mig", first([](const option& one) { return one.kind == option_kind::mig; }));
    write_option(out, "share", first([](const option& one) { return one.kind == option_kind::share; }));
    out.end_object();
    return out.take();
}

std::string settings_json(const settings& by, const config::report& findings) {
    json_writer out;
    out.begin_object().member("profile", profile_name(by.profile)).member("name", by.name);
    out.member("container", by.container).member("update_mode", update_mode_name(by.mode));
    out.member("half_life_ms", by.usage.half_life_ms).member("memory_interval_ms", by.usage.peaks.interval_ms);
    out.member("confidence_interval_ms", by.confidence_interval_ms).member("hold_below", by.hold_below);
    out.member("oom_ratio", by.usage.peaks.oom.ratio).member("oom_least_bytes", by.usage.peaks.oom.least_bytes);
    out.member("record_after_zero", by.usage.peaks.record_after_zero);
    out.member("target_percentile", by.at.target).member("lower_percentile", by.at.lower);
    out.member("upper_percentile", by.at.upper).member("busy_margin", by.busy_margin);
    out.member("memory_margin", by.memory_margin).member("containers", by.containers);
    out.member("least_busy", by.least_busy).member("least_memory_bytes", by.least_memory_bytes);
    out.member("busy_step", by.busy_step).member("memory_step_bytes", by.memory_step_bytes);
    write_caps(out, "busy_caps", by.busy_caps);
    write_caps(out, "memory_caps", by.memory_caps);
    out.member("gpus", by.now.gpus).member("goal_util_percent", by.now.goal_util_percent);
    out.member("replicated", by.now.replicated).member("splittable", by.now.splittable);
    out.member("min_gpus", by.now.min_gpus).member("max_gpus", by.now.max_gpus);
    out.member("sku", by.sku).member("gpu_model", by.gpu_model).member("gpu_memory_bytes", by.gpu_memory_bytes);
    out.member("mig", by.sharing.mig).member("time_slicing", by.sharing.time_slicing).member("mps", by.sharing.mps);
    write_machines(out, by.machines);
    out.key("findings");
    config::write_json(out, findings);
    out.end_object();
    return out.take();
}

}  // namespace gputide::rightsize
