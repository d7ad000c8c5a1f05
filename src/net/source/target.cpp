// Targets, metric names and warnings that all trigger types share.
#include "source/target.hpp"

#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "formats/reduce.hpp"
#include "manifest/own/settings.hpp"

#include <algorithm>
#include <array>

namespace gputide::source {

// Members of a trigger outside its metadata (kedacore/keda apis/keda/v1alpha1/scaletriggers_types.go ScaleTriggers).
constexpr std::array<std::string_view, 5> trigger_fields = {"metricType", "authenticationRef", "useCachedMetrics",
                                                            "name", "type"};

std::string metric_name(std::int32_t index, std::string_view name) {
    std::string out = format_text("s{}-", index);
    for (const char c : name) {
        const bool replaced = std::string_view("/.:%()").find(c) != std::string_view::npos;
        out.push_back(replaced ? '-' : c);
    }
    return out;
}

result<target> external_target(const manifest::trigger& trigger, std::string_view name, double threshold,
                               double activation_threshold) {
    if (trigger.metric_type == manifest::target_type::utilization) {
        return fail_at(error_class::config, trigger.label(),
                       "'Utilization' metric type is unsupported for external metrics, "
                       "allowed values are 'Value' or 'AverageValue'");
    }
    target out;
    out.metric_name = metric_name(trigger.index, name);
    out.target_milli = keda_milli(threshold);
    out.threshold = threshold;
    out.activation_threshold = activation_threshold;
    out.type = trigger.metric_type;
    return out;
}

void warn_unknown_keys(const manifest::trigger& trigger, const manifest::parameters& read, text::report* findings) {
    if (findings == nullptr) return;
    const std::vector<std::string> known = read.known_keys();
    for (const std::string& key : read.unknown_keys()) {
        // The module manifest checks these keys
        if (std::string_view(key).starts_with(manifest::own_prefix)) continue;
        const std::string_view near = nearest(key, {known.begin(), known.end()});
        std::string remedy =
            near.empty() ? "remove it, or correct its spelling" : format_text("did you mean {}?", in_quotes(near));
        if (read.is_of_authentication(key)) remedy = "set it in the trigger's TriggerAuthentication";
        if (std::find(trigger_fields.begin(), trigger_fields.end(), key) != trigger_fields.end())
            remedy = format_text("write {} outside metadata, as spec.triggers[{}].{}", key, trigger.index, key);
        findings->add(
            text::severity::warning, "unknown-key", read.place_of(key),
            format_text("{}: {} is not a key of this trigger type and is ignored", trigger.label(), in_quotes(key)),
            remedy);
    }
}

void read_reducer(manifest::parameters& parameters, text::text_key key, std::string& into) {
    into = parameters.text(key).value_or(into);
    if (formats::known_reducer(into)) return;
    parameters.add_error(
        format_text("{}: expected avg, max, min, sum, count or pNN (p0 to p100), got {}", key.name(), in_quotes(into)),
        key.name());
}

bool is_refused(const manifest::trigger& trigger, const manifest::parameters& read, std::string_view key) {
    const auto at = trigger.metadata_places.find(std::string(key));
    return at != trigger.metadata_places.end() &&
           std::any_of(read.errors().begin(), read.errors().end(),
                       [&](const manifest::parameter_error& failure) { return failure.at.path == at->second.path; });
}

result<void> finish(const manifest::parameters& read, std::string_view prefix, const manifest::trigger& trigger,
                    error* lacking) {
    auto finished = read.finish(prefix);
    if (finished) return {};
    error why = at_trigger(finished.take_failure(), trigger);
    if (lacking == nullptr || !read.lacks_access_alone()) return why;
    *lacking = std::move(why);
    return {};
}

error at_trigger(error error, const manifest::trigger& trigger) {
    if (error.where.empty()) error.where = named(trigger.label());
    if (error.error_class == error_class::none) error.error_class = error_class::config;
    return error;
}

}  // namespace gputide::source
