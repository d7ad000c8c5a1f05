// Names of a trigger in messages, defaults of a scaling, the settings that have no effect on it, and look-ups of types.
#include "manifest/spec.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"
#include "manifest/own/settings.hpp"

#include <algorithm>

namespace gputide::manifest {

std::string trigger::label() const {
    std::string out = format_text("trigger {} ({}", index, type);
    if (!name.empty()) out += ", " + name;
    return out + ")";
}

behavior default_behavior(const controller_flags& controller) {
    behavior out;
    out.up.tolerance = out.down.tolerance = controller.tolerance;
    out.up.policies = {{policy_type::pods, 4, 15}, {policy_type::percent, 100, 15}};
    out.down.window_s = controller.downscale_window_s;
    out.down.policies = {{policy_type::percent, 100, 15}};
    return out;
}

namespace {

bool rests_below_minimum(const scaling& scaling) {
    if (scaling.min.value_or(0) == 0) return true;
    const bool any_idle = holds(version_rule::interval_follows_idle, scaling.controller.versions);
    return scaling.idle && (any_idle || *scaling.idle == 0);
}

}  // namespace

bool cooldown_is_relevant(const scaling& scaling) { return rests_below_minimum(scaling); }

// Since 2.21 the formula uses the poll's own reads.
bool polling_interval_is_relevant(const scaling& scaling, bool has_cached) {
    if (rests_below_minimum(scaling) || has_cached) return true;
    return scaling.modifiers && holds(version_rule::poll_takes_hpa_reads, scaling.controller.versions);
}

bool takes_hpa_reads(const scaling& scaling, bool has_cached) {
    return scaling.kind == manifest_kind::scaled_object && scaling.extra.sync_period_ms > 0 &&
           holds(version_rule::poll_takes_hpa_reads, scaling.controller.versions) &&
           !polling_interval_is_relevant(scaling, has_cached);
}

namespace {

std::string listed(std::span<const identity_kind> identities, bool of_keda) {
    std::string out;
    for (const identity_kind& identity : identities) {
        if (identity.is_advised && identity.is_of_keda == of_keda) append_item(out, identity.provider);
    }
    return out;
}

}  // namespace

void add_violation(violations& out, const violation_path& path, std::string_view message, std::string_view remedy,
                   std::string_view code) {
    out.push_back({std::string(path.above).append(path.rest), std::string(message), std::string(remedy), code});
}

void add_violations(report& findings, const cursor& root, const violations& found, severity level) {
    for (const violation& refused : found)
        findings.add(level, refused.code, root.place_of(refused.path), refused.message, refused.remedy);
}

const trigger_kind* known_kinds::trigger(std::string_view type) const {
    const auto found = std::ranges::find_if(triggers, [type](const trigger_kind& row) { return row.type == type; });
    return found == triggers.end() ? nullptr : &*found;
}

bool known_kinds::has_key(std::string_view key) const {
    return std::ranges::any_of(triggers, [key](const trigger_kind& kind) {
        return std::ranges::any_of(kind.keys, [key](const field& row) { return row.names.has(key); });
    });
}

const identity_kind* find_identity(std::span<const identity_kind> identities, std::string_view provider) {
    const auto found = std::ranges::find_if(
        identities, [provider](const identity_kind& identity) { return identity.provider == provider; });
    return found == identities.end() ? nullptr : &*found;
}

std::string providers_in_words(std::span<const identity_kind> identities) {
    return format_text("{}, or one of gputide's own: {}", listed(identities, true), listed(identities, false));
}

namespace {

bool is_read_from_pods(metric_kind kind) {
    return kind == metric_kind::pods || kind == metric_kind::resource || kind == metric_kind::container_resource;
}

}  // namespace

std::string unfed_text(metric_kind kind, const std::string& name) {
    return format_text(
        "the {} metric {} has no source: the host program must provide {}; without it nothing scales down",
        metric_kind_word(kind), in_quotes(name),
        is_read_from_pods(kind) ? "its pods' values with each observation" : "its value");
}

std::string unfed_remedy(metric_kind kind, const std::string& name) {
    const std::string from =
        "gputide.io/metrics-from: kubernetes, or host if your own host program provides it (gputided does not)";
    if (is_read_from_pods(kind)) return "add the annotation " + from;
    return format_text("add the annotation {}{} with a trigger, or {}", source_prefix, name, from);
}

}  // namespace gputide::manifest
