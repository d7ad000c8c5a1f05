// The fields of a manifest that tune changes: their current values, a diff and a merge patch, and which of them a cluster knows.
#include "common/text.hpp"
#include "replay/tune/tune.hpp"

#include <array>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace gputided {

namespace {

// kubernetes/kubernetes: KEP 4951, behavior.*.tolerance: alpha in 1.33, beta in 1.35.
constexpr int tolerance_alpha = 33;
constexpr int tolerance_beta = 35;

constexpr std::array<const char*, 2> directions{"scaleUp", "scaleDown"};

// Returns the value at a JSON pointer, or null.
template <class Json>
json at_pointer(const Json& object, const std::string& pointer) {
    const typename Json::json_pointer path(pointer);
    return object.contains(path) ? json(object.at(path)) : json();
}

// The form of a value in the manifest; annotation: a text with a unit.
enum class written { number, text, annotation };

// A field of the manifest.  The places are JSON pointers.
struct field {
    const char* setting;    // that changes it; "": the rate policies, which several settings change
    std::string place;      // in the manifest; "": this kind does not have the field
    std::string described;  // in the policy; "": nowhere
    written form = written::number;
    json usual = nullptr;                   // default that the policy does not describe
    const char* rates_direction = nullptr;  // of the rate policies
};

std::string behavior_place(bool is_keda) {
    return is_keda ? "/spec/advanced/horizontalPodAutoscalerConfig/behavior/" : "/spec/behavior/";
}

// Returns for example "/spec/metrics/0/external/target/averageValue"; "" for a metric without kind or type.
std::string hpa_target_place(const json& metric) {
    std::string kind = text_at(metric, "kind"), member = text_at(metric, "type");
    if (kind.empty() || member.empty()) return {};
    if (member == "Utilization") member = "averageUtilization";
    for (std::string* word : {&kind, &member})
        word->front() = static_cast<char>(std::tolower(static_cast<unsigned char>(word->front())));
    return "/spec/metrics/0/" + kind + "/target/" + member;
}

// Returns the fields in the order of the diff.
std::vector<field> fields_of(const json& policy) {
    const bool is_keda = policy.at("kind") == "ScaledObject";
    const std::string trigger = "/spec/triggers/0/metadata/", annotation = "/metadata/annotations/gputide.io~1",
                      behavior = behavior_place(is_keda);
    const json& metric = policy.at("metrics").at(0);
    const bool is_share = metric.contains("averageUtilization");
    // With a formula the target is that of the formula, not of the trigger.
    const char* const target = policy.contains("scalingModifiers") ? ""
                               : is_share                          ? "/metrics/0/averageUtilization"
                                                                   : "/metrics/0/target";
    const auto of_keda = [&](const char* place) { return is_keda ? place : std::string(); };
    std::vector<field> out{
        {"threshold", is_keda ? trigger + "threshold" : hpa_target_place(metric), target,
         is_share ? written::number : written::text},
        {"activation_threshold", is_keda ? trigger + "activationThreshold" : "", "/metrics/0/activationThreshold",
         written::text, 0},
        {"min", is_keda ? "/spec/minReplicaCount" : "/spec/minReplicas", is_keda ? "/minReplicaCount" : "/minReplicas"},
        {"max", is_keda ? "/spec/maxReplicaCount" : "/spec/maxReplicas", is_keda ? "/maxReplicaCount" : "/maxReplicas"},
        {"cooldown_s", of_keda("/spec/cooldownPeriod"), "/cooldownPeriod"},
        {"polling_interval_s", of_keda("/spec/pollingInterval"), "/pollingInterval"},
        {"sync_period_ms", "", "/syncPeriodMs"},
        {"in_flight_guard", annotation + "in-flight-guard", "", written::text},
        {"forecast_lead_ms", annotation + "forecast-lead", "/forecast/settings/lead_ms", written::annotation},
        {"forecast_budget_percent", annotation + "forecast-budget", "/forecast/settings/budget_percent",
         written::annotation},
        {"forecast_quantile_percent", annotation + "forecast-quantile", "/forecast/settings/quantile_percent",
         written::annotation},
        {"forecast_max_raise_percent", annotation + "forecast-max-raise", "/forecast/settings/max_raise_percent",
         written::annotation}};
    const json tolerance = at_pointer(policy, "/controller/tolerance");
    const json down_window_s = at_pointer(policy, "/controller/downscaleStabilizationSeconds");
    for (const std::string direction : directions) {
        const bool is_up = direction == "scaleUp";
        const std::string place = behavior + direction, described = "/behavior/" + direction;
        out.push_back({is_up ? "up_window_s" : "down_window_s", place + "/stabilizationWindowSeconds",
                       described + "/stabilizationWindowSeconds", written::number, is_up ? json(0) : down_window_s});
        out.push_back({"tolerance", place + "/tolerance", described + "/tolerance", written::text, tolerance});
        out.push_back({"", place + "/policies", described + "/policies", written::number, nullptr,
                       is_up ? directions[0] : directions[1]});
    }
    return out;
}

// Returns a value in the form of the manifest.
json written_value(const field& field, const json& value) {
    if (field.form == written::number) return value;
    if (field.form == written::text) return value.dump();
    if (value.is_null()) return "none";
    const bool is_time = value.is_number() && std::string_view(field.setting).ends_with("_ms");
    return is_time ? std::to_string(value.get<std::int64_t>() / 1000) + "s" : figure(value.get<double>(), 3);
}

// A setting of a rate policy.
struct rate {
    const char* setting;
    std::string_view direction;
    const char* type;
};
constexpr std::array<rate, 4> rates{rate{"up_percent", "scaleUp", "Percent"}, rate{"up_pods", "scaleUp", "Pods"},
                                    rate{"down_percent", "scaleDown", "Percent"},
                                    rate{"down_pods", "scaleDown", "Pods"}};

// Returns the rate policies of a direction after the changes; empty if none of them changes.
json rate_policies(const json& changes, std::string_view direction) {
    json out = json::array();
    for (const rate& rate : rates) {
        if (rate.direction == direction && changes.contains(rate.setting))
            out.push_back({{"type", rate.type},
                           {"value", changes.at(rate.setting)},
                           {"periodSeconds", changes.value("policy_period_s", 15)}});
    }
    return out;
}

// A changed field.
struct edit {
    std::string place;  // JSON pointer in the manifest
    json before;        // null: unknown
    json after;
};

std::vector<edit> edits_of(const json& policy, const json& changes) {
    std::vector<edit> out;
    for (const field& field : fields_of(policy)) {
        if (field.place.empty()) continue;
        json before = field.described.empty() ? json() : at_pointer(policy, field.described);
        if (field.rates_direction != nullptr) {
            json after = rate_policies(changes, field.rates_direction);
            if (!after.empty()) out.push_back({field.place, std::move(before), std::move(after)});
        } else if (changes.contains(field.setting)) {
            // KEDA's threshold is always a text; other texts may be numbers in the manifest, and are shown as described.
            const bool is_converted =
                field.form == written::annotation || field.setting == std::string_view("threshold");
            const bool is_known =
                !before.is_null() || (field.form == written::annotation && policy.contains("forecast"));
            if (is_converted && is_known) before = written_value(field, before);
            out.push_back({field.place, std::move(before), written_value(field, changes.at(field.setting))});
        }
    }
    return out;
}

// Returns "spec.triggers[0].metadata.threshold" for "/spec/triggers/0/metadata/threshold".
std::string shown_place(const std::string& pointer) {
    std::string out;
    for (std::string part : split(pointer.substr(1), '/')) {
        if (const std::size_t slash = part.find("~1"); slash != std::string::npos) {
            out += "[\"" + part.replace(slash, 2, "/") + "\"]";
        } else if (part.find_first_not_of("0123456789") == std::string::npos) {
            out += "[" + part + "]";
        } else {
            out += (out.empty() ? "" : ".") + part;
        }
    }
    return out;
}

// Returns the merge patch (RFC 7386) from `before` to `after`.
ordered_json difference(const ordered_json& before, const ordered_json& after) {
    ordered_json out = ordered_json::object();
    for (const auto& [name, value] : after.items()) {
        const auto old = before.find(name);
        const bool is_new = old == before.end();
        if (!is_new && old->is_object() && value.is_object()) {
            if (ordered_json inner = difference(*old, value); !inner.empty()) out[name] = std::move(inner);
        } else if (is_new || *old != value) {
            out[name] = value;
        }
    }
    return out;
}

// Returns the value of a direction's only rate policy if it has this type and period, otherwise null.
json present_rate(const json& policy, const rate& rate, const json& changes) {
    const json present = at_pointer(policy, "/behavior/" + std::string(rate.direction) + "/policies");
    const bool is_single = present.is_array() && present.size() == 1;
    // Two policies for a direction replace the list.
    if (!is_single || rate_policies(changes, rate.direction).size() > 1) return nullptr;
    const json& only = present.front();
    const bool is_same =
        only.at("type") == rate.type && only.at("periodSeconds") == changes.value("policy_period_s", 15);
    return is_same ? only.at("value") : json();
}

// Returns the value that a change would replace, including defaults; null if it is unknown or not a single value.
json present_value(const json& policy, const std::string& name, const json& changes) {
    for (const rate& rate : rates) {
        if (name == rate.setting) return present_rate(policy, rate, changes);
    }
    std::optional<json> out;
    for (const field& field : fields_of(policy)) {
        if (name != field.setting || field.described.empty() || field.form == written::annotation) continue;
        json value = at_pointer(policy, field.described);
        if (value.is_null()) value = field.usual;
        if (out && *out != value) return nullptr;
        out = std::move(value);
    }
    return out.value_or(json());
}

// Returns the document of a scaler; nothing if it cannot be read.
std::optional<ordered_json> document_of(const std::string& manifest, const std::string& scaler) {
    for (ordered_json& document : documents_of(manifest)) {
        if (document.is_object() && is_scaler(document) && object_name(document) == scaler) return std::move(document);
    }
    return std::nullopt;
}

}  // namespace

json without_present_values(const json& policy, json changes) {
    for (auto change = changes.begin(); change != changes.end();) {
        const json now = present_value(policy, change.key(), changes);
        change = !now.is_null() && now == change.value() ? changes.erase(change) : std::next(change);
    }
    return changes;
}

std::string changes_text(const json& changes) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : changes.items())
        parts.push_back(name + "=" + (value.is_null() ? "none" : shown(value)));
    return parts.empty() ? "no change" : joined(parts, ", ");
}

field_support tolerance_support(const std::string& manifest, const std::string& scaler) {
    const std::optional<ordered_json> document = document_of(manifest, scaler);
    if (!document) return field_support::unknown;
    const std::string behavior = behavior_place(document->at("kind") == "ScaledObject");
    for (const std::string direction : directions) {
        if (!at_pointer(*document, behavior + direction + "/tolerance").is_null()) return field_support::known;
    }
    const json given = at_pointer(*document, "/metadata/annotations/gputide.io~1hpa-version");
    const std::string version = given.is_null() ? "" : shown(given);
    const std::optional<double> minor = number_in(version.substr(version.find('.') + 1));
    if (version.find('.') == std::string::npos || !minor) return field_support::unknown;
    return *minor >= tolerance_beta   ? field_support::known
           : *minor < tolerance_alpha ? field_support::missing
                                      : field_support::unknown;
}

std::string manifest_diff(const json& policy, const json& changes) {
    std::string out;
    for (const edit& edit : edits_of(policy, changes)) {
        if (shown(edit.before) == shown(edit.after)) continue;  // 60 and "60" are equal
        out += "@@ " + shown_place(edit.place) + "\n";
        if (!edit.before.is_null()) out += "-  " + edit.before.dump() + "\n";
        out += "+  " + edit.after.dump() + "\n";
    }
    return out;
}

ordered_json merge_patch(const std::string& manifest, const std::string& scaler, const json& policy,
                         const json& changes) {
    const std::optional<ordered_json> document = document_of(manifest, scaler);
    if (!document) return nullptr;
    ordered_json after = *document;
    for (const edit& edit : edits_of(policy, changes)) {
        const ordered_json::json_pointer place(edit.place);
        // autoscaling/v1 and v2beta1 have no `target` below a metric.
        if (edit.place.starts_with("/spec/metrics/") && !document->contains(place.parent_pointer())) continue;
        after[place] = edit.after;
    }
    return difference(*document, after);
}

std::string patch_command(const json& policy, const ordered_json& patch) {
    const bool is_keda = policy.at("kind") == "ScaledObject";
    return std::string("kubectl patch ") + (is_keda ? "scaledobject " : "hpa ") + text_at(policy, "name") + " -n " +
           text_at(policy, "namespace") + " --type=merge -p " + shell_quoted(patch.dump());
}

std::vector<std::string> newer_fields(const json& changes, field_support tolerance) {
    std::vector<std::string> out;
    if (changes.contains("tolerance") && tolerance != field_support::known) {
        out.emplace_back(
            "behavior's tolerance needs Kubernetes 1.35, or 1.33 with the gate HPAConfigurableTolerance; an older API "
            "server drops it silently");
    }
    if (changes.contains("in_flight_guard")) {
        out.emplace_back("gputide.io/in-flight-guard is gputide's own: KEDA and Kubernetes do not know it");
    }
    return out;
}

}  // namespace gputided
