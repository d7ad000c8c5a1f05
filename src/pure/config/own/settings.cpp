#include "config/own/settings.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <vector>

namespace gputide::config {
namespace {

// Applies a key that the table has; false: it has no such key.
template <class Settings>
bool apply(std::span<const setting<Settings>> table, std::string_view key, std::string_view text, const place& place,
           Settings& settings, report& findings) {
    const auto has_key = [&](const setting<Settings>& row) { return row.name == key.substr(own_prefix.size()); };
    const auto row = std::find_if(table.begin(), table.end(), has_key);
    if (row == table.end()) return false;
    const std::optional<setting_value> value = parse_value(row->rule, trim(text));
    if (value && row->fill(settings, *value)) return true;
    const std::string expected = expected_text(row->rule);
    findings.add(severity::error, "invalid-value", place,
                 format_text("{}: expected {}, got {}", key, expected, in_quotes(text)), "write " + expected);
    return true;
}

void refuse_unknown(std::string_view key, const place& place, bool in_trigger, const known_kinds& kinds,
                    report& findings) {
    if (findings.full(severity::error)) return;  // spares the search for the nearest name
    const std::string_view name = key.substr(own_prefix.size());
    std::vector<std::string_view> names;
    for (const own_trigger_setting& setting : own_trigger_settings()) names.push_back(setting.name);
    bool is_of_manifest = false;
    for (const own_setting& setting : own_settings()) {
        is_of_manifest = is_of_manifest || setting.name == name;
        if (!in_trigger) names.push_back(setting.name);
    }
    for (const trigger_kind& kind : kinds.triggers) {
        for (const field& row : kind.keys) {
            for (const std::string_view other : row.names) {
                if (other.starts_with(own_prefix)) names.push_back(other.substr(own_prefix.size()));
            }
        }
    }
    const std::string_view meant = nearest(name, names);
    std::string remedy = "remove it, or use one of the documented settings";
    if (!meant.empty()) remedy = format_text("did you mean {}{}?", own_prefix, meant);
    if (is_of_manifest) remedy = "write it as an annotation of the manifest";
    if (kinds.has_key(key)) remedy = "write it in the metadata of the trigger that it is for";
    findings.add(severity::error, "unknown-setting", place,
                 format_text("{} is not a setting{}", in_quotes(key), in_trigger ? " of a trigger" : ""),
                 std::move(remedy));
}

// Checks that no value asks for both directions at once: between the two thresholds the size does not change.
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
        if (!key.starts_with(own_prefix) || key.starts_with(source_prefix)) continue;
        if (key == owner_annotation || key == handover_annotation) continue;
        const place& at = places.at(key);
        if (apply(own_trigger_settings(), key, value, at, rules.trigger, findings)) continue;
        if (!apply(own_settings(), key, value, at, rules, findings)) refuse_unknown(key, at, false, kinds, findings);
    }
    rules.trigger.versions = rules.controller.versions;
    if (const auto at = places.find("gputide.io/scale-down-below"); at != places.end()) {
        check_thresholds(rules.trigger, at->second, findings);
    }
    const auto budget = places.find("gputide.io/max-cost-per-hour");
    if (budget == places.end() || rules.extra.max_cost_per_hour <= 0.0 || rules.extra.cost_per_gpu_hour > 0.0) return;
    findings.add(severity::error, "invalid-value", budget->second,
                 "gputide.io/max-cost-per-hour has no effect without gputide.io/cost-per-gpu-hour",
                 "add gputide.io/cost-per-gpu-hour: with the price of one GPU for an hour");
}

void take_own_metadata(trigger& trigger, const known_kinds& kinds, report& findings) {
    trigger_rules read = trigger.rules;
    for (auto at = trigger.metadata.begin(); at != trigger.metadata.end();) {
        if (!at->first.starts_with(own_prefix) || kinds.has_key(at->first)) {
            ++at;
            continue;
        }
        const place& place = trigger.metadata_places[at->first];
        if (!apply(own_trigger_settings(), at->first, at->second, place, read, findings))
            refuse_unknown(at->first, place, true, kinds, findings);
        trigger.metadata_places.erase(at->first);
        at = trigger.metadata.erase(at);
    }
    const bool has_own_thresholds =
        read.scale_up_above != trigger.rules.scale_up_above || read.scale_down_below != trigger.rules.scale_down_below;
    if (has_own_thresholds) check_thresholds(read, trigger.at, findings);
    trigger.rules = std::move(read);
}

}  // namespace gputide::config
