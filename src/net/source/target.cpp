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

std::string trigger_reader::text_of(text::text_key key) { return text(key).value_or(""); }

secret_text trigger_reader::secret_of(text::secret_key key) { return secret(key).value_or(secret_text()); }

void trigger_reader::add(text::severity level, std::string_view key, std::string_view code, std::string_view text,
                         std::string_view remedy) const {
    if (findings_ == nullptr) return;
    findings_->add(level, code, place_of(key), format_text("{}: {}", from_.label(), text), remedy);
}

void trigger_reader::warn_unknown_keys() const {
    if (findings_ == nullptr) return;
    const std::vector<std::string> known = known_keys();
    for (const std::string& key : unknown_keys()) {
        // The module manifest checks these keys
        if (std::string_view(key).starts_with(manifest::own_prefix)) continue;
        const std::string_view near = nearest(key, {known.begin(), known.end()});
        std::string remedy =
            near.empty() ? "remove it, or correct its spelling" : format_text("did you mean {}?", in_quotes(near));
        if (is_of_authentication(key)) remedy = "set it in the trigger's TriggerAuthentication";
        if (std::ranges::find(trigger_fields, key) != trigger_fields.end())
            remedy = format_text("write {} outside metadata, as spec.triggers[{}].{}", key, from_.index, key);
        warn(key, "unknown-key", format_text("{} is not a key of this trigger type and is ignored", in_quotes(key)),
             remedy);
    }
}

void trigger_reader::add_unexpected(std::string_view key, std::string_view expected, std::string_view value) {
    add_error(format_text("{}: expected {}, got {}", key, expected, in_quotes(value)), key);
}

void trigger_reader::read_reducer(text::text_key key, std::string& into) {
    into = text(key).value_or(into);
    check_reducer(into, key.name());
}

void trigger_reader::set_threshold(double threshold, double activation_threshold) {
    threshold_ = threshold;
    activation_threshold_ = activation_threshold;
}

void trigger_reader::read_threshold() {
    threshold_ = number(threshold_keys["threshold"]).value_or(0.0);
    activation_threshold_ = number(threshold_keys["activationThreshold"]).value_or(0.0);
}

void trigger_reader::read_target_value(std::string_view missing) {
    const std::size_t before = errors().size();
    threshold_ = number(target_value_keys["targetValue"]).value_or(0.0);
    if (threshold_ == 0.0 && errors().size() == before)
        add_error(format_text("{}; expected a number other than 0", missing), "targetValue");
    activation_threshold_ = number(target_value_keys["activationTargetValue"]).value_or(0.0);
}

void trigger_reader::check_reducer(std::string_view reducer, std::string_view key) {
    if (formats::known_reducer(reducer)) return;
    add_unexpected(key, "avg, max, min, sum, count or pNN (p0 to p100)", reducer);
}

bool trigger_reader::is_refused(std::string_view key) const {
    const auto at = from_.metadata_places.find(std::string(key));
    return at != from_.metadata_places.end() &&
           std::ranges::any_of(
               errors(), [&](const manifest::parameter_error& failure) { return failure.at.path == at->second.path; });
}

result<void> trigger_reader::end_target(std::string_view prefix, std::string_view name, target& into) {
    if (auto finished = finish(prefix); !finished) {
        error why = at_trigger(finished.take_failure(), from_);
        if (!lacks_access_alone()) return why;
        lacking_ = std::move(why);
    }
    auto target = external_target(from_, name, threshold_, activation_threshold_);
    if (!target) return target.take_failure();
    into = *std::move(target);
    return {};
}

error at_trigger(error error, const manifest::trigger& trigger) {
    if (error.where.empty()) error.where = named(trigger.label());
    if (error.error_class == error_class::none) error.error_class = error_class::config;
    return error;
}

}  // namespace gputide::source
