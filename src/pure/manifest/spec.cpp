// Names of a trigger in messages, defaults of a scaling, and the settings that have no effect on it.
#include "manifest/spec.hpp"

#include "base/format_text.hpp"
#include "manifest/scaling.hpp"

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

}  // namespace gputide::manifest
