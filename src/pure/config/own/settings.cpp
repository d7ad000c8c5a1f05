#include "config/own/settings.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <vector>

namespace gputide::config {
namespace {

// One gputide.io/ key: applied, or an error with the nearest name.
void apply(const std::string& key, const std::string& value, const place& place, bool in_trigger,
           const known_kinds& kinds, own_rules& rules, report& findings) {
    if (findings.full(severity::error)) return;  // spares the search for the nearest name
    const std::string_view name = std::string_view(key).substr(own_prefix.size());
    std::vector<std::string_view> names;
    for (const own_setting& setting : own_settings()) {
        if (in_trigger && !setting.of_trigger) continue;
        names.push_back(setting.name);
        if (setting.name != name) continue;
        if (setting.apply(trim(value), rules)) return;
        findings.add(severity::error, "invalid-value", place,
                     format_text("{}: expected {}, got {}", key, setting.syntax, in_quotes(value)),
                     "write " + std::string(setting.syntax));
        return;
    }
    for (const trigger_kind& kind : kinds.triggers) {
        for (const field& one : kind.keys) {
            for (const std::string_view other : one.names) {
                if (other.substr(0, own_prefix.size()) == own_prefix) names.push_back(other.substr(own_prefix.size()));
            }
        }
    }
    const std::string_view meant = nearest(name, names);
    std::string remedy = "remove it, or use one of the documented settings";
    if (!meant.empty()) remedy = format_text("did you mean {}{}?", own_prefix, meant);
    for (const own_setting& setting : own_settings()) {
        if (in_trigger && setting.name == name) remedy = "write it as an annotation of the manifest";
    }
    if (kinds.has_key(key)) remedy = "write it in the metadata of the trigger that it is for";
    findings.add(severity::error, "unknown-setting", place,
                 format_text("{} is no setting{}", in_quotes(key), in_trigger ? " of a trigger" : ""),
                 std::move(remedy));
}

// Between the two thresholds nothing moves; the other way round both directions would be asked for at once.
void check_thresholds(const trigger_rules& rules, const place& place, report& findings) {
    if (!rules.scale_up_above || !rules.scale_down_below || *rules.scale_down_below <= *rules.scale_up_above) return;
    findings.add(severity::error, "invalid-value", place,
                 format_text("gputide.io/scale-down-below {} is greater than gputide.io/scale-up-above {}",
                             shortest(*rules.scale_down_below), shortest(*rules.scale_up_above)),
                 "write scale-down-below: with at most the value of scale-up-above");
}

}  // namespace

void read_own_annotations(const texts& annotations, const text_places& places, const known_kinds& kinds,
                          own_rules& rules, report& findings) {
    for (const auto& [key, value] : annotations) {
        if (key.compare(0, own_prefix.size(), own_prefix) != 0) continue;
        if (key.compare(0, source_prefix.size(), source_prefix) == 0) continue;
        if (key == owner_annotation || key == handover_annotation) continue;
        apply(key, value, places.at(key), false, kinds, rules, findings);
    }
    rules.trigger.versions = rules.controller.versions;
    if (const auto at = places.find("gputide.io/scale-down-below"); at != places.end()) {
        check_thresholds(rules.trigger, at->second, findings);
    }
    const auto budget = places.find("gputide.io/max-cost-per-hour");
    if (budget == places.end() || rules.extra.max_cost_per_hour <= 0.0 || rules.extra.cost_per_gpu_hour > 0.0) return;
    findings.add(severity::error, "invalid-value", budget->second,
                 "gputide.io/max-cost-per-hour bounds nothing without a price",
                 "add gputide.io/cost-per-gpu-hour: with the price of one GPU for an hour");
}

void take_own_metadata(trigger& trigger, const known_kinds& kinds, report& findings) {
    trigger_rules& rules = trigger.rules;
    own_rules read;
    read.trigger = rules;
    for (auto at = trigger.metadata.begin(); at != trigger.metadata.end();) {
        if (at->first.compare(0, own_prefix.size(), own_prefix) != 0 || kinds.has_key(at->first)) {
            ++at;
            continue;
        }
        apply(at->first, at->second, trigger.metadata_places[at->first], true, kinds, read, findings);
        trigger.metadata_places.erase(at->first);
        at = trigger.metadata.erase(at);
    }
    const bool own =
        read.trigger.scale_up_above != rules.scale_up_above || read.trigger.scale_down_below != rules.scale_down_below;
    if (own) check_thresholds(read.trigger, trigger.at, findings);
    rules = std::move(read.trigger);
}

}  // namespace gputide::config
