#include "decide/lateness.hpp"

#include <algorithm>

namespace gputide::decide {
namespace {

constexpr std::array<std::string_view, late_cause_count> cause_names{
    "polling", "metric_age", "tolerance", "stabilization", "rate_limit", "maximum", "startup", "node", "other"};

// Returns the cause for a limit of the decision; polling if the limit does not delay a scale-up.
late_cause cause_of(limit limited_by) noexcept {
    switch (limited_by) {
        case limit::stabilized:
            return late_cause::stabilization;
        case limit::scale_up_limit:
            return late_cause::rate_limit;
        case limit::max:
        case limit::budget:
        case limit::no_capacity:
            return late_cause::maximum;
        case limit::tolerance:
            return late_cause::tolerance;
        case limit::fallback:
        case limit::paused:
        case limit::no_data:
            return late_cause::other;
        default:
            return late_cause::polling;
    }
}

// Returns the cause of the time until the next look.
late_cause cause_of(const load_look& look) noexcept {
    const late_cause limited = cause_of(look.limited_by);
    const bool asks_for_more = look.proposed > look.replicas;
    if (asks_for_more && limited != late_cause::polling) return limited;
    if (look.ready >= 0 && look.ready < look.replicas)
        return look.waits_for_node ? late_cause::node : late_cause::startup;
    if (!look.seen_above) return late_cause::metric_age;
    return limited;
}

}  // namespace

std::string_view late_cause_name(late_cause cause) noexcept { return cause_names[static_cast<std::size_t>(cause)]; }

late_cause rise::main_cause() const noexcept {
    return static_cast<late_cause>(std::max_element(cause_ms.begin(), cause_ms.end()) - cause_ms.begin());
}

std::optional<rise> lateness::add(const load_look& look) noexcept {
    const bool is_above = look.has_load && look.is_above;
    if (last_ms_ == 0) replicas_before_ = look.replicas;  // the first look
    if (open_) {
        if (below_ms_ == 0) open_->cause_ms[static_cast<std::size_t>(cause_)] += look.time_ms - last_ms_;
        advance(look);
    } else if (is_above) {
        begin(look);
    }
    if (is_above) {
        below_ms_ = 0;
    } else if (below_ms_ == 0 && look.has_load) {
        below_ms_ = look.time_ms;
    }
    last_ms_ = look.time_ms;
    replicas_before_ = look.replicas;
    cause_ = cause_of(look);
    const bool has_ended = !look.has_load || (below_ms_ != 0 && look.time_ms - below_ms_ >= calm_ms);
    return has_ended ? finish(look.time_ms) : std::nullopt;
}

std::optional<rise> lateness::finish(std::int64_t now_ms) noexcept {
    std::optional<rise> out;
    open_.swap(out);
    if (out) {
        out->is_below = below_ms_ != 0;
        out->end_ms = out->is_below ? below_ms_ : now_ms;
    }
    below_ms_ = 0;
    return out;
}

void lateness::begin(const load_look& look) noexcept {
    rise& rise = open_.emplace();
    rise.start_ms = std::min(look.since_ms, look.time_ms);
    rise.cause_ms[static_cast<std::size_t>(late_cause::polling)] = look.time_ms - rise.start_ms;
    wanted_ = 0;
    // Replicas were written before the rise and are not ready yet: the decision preceded the load.
    const bool is_starting = look.ready >= 0 && look.ready < look.replicas;
    const bool was_earlier = is_starting && last_ms_ > 0 && replicas_before_ == look.replicas;
    if (was_earlier) {
        rise.decided_ms = rise.written_ms = rise.start_ms;
        wanted_ = look.replicas;
    }
    advance(look);
}

void lateness::advance(const load_look& look) noexcept {
    rise& rise = *open_;
    if (rise.decided_ms == 0 && look.desired > replicas_before_) rise.decided_ms = look.time_ms;
    if (rise.written_ms == 0 && look.replicas > replicas_before_) {
        rise.written_ms = look.time_ms;
        wanted_ = look.replicas;
        if (rise.decided_ms == 0) rise.decided_ms = look.time_ms;
    }
    if (rise.written_ms != 0 && rise.ready_ms == 0 && look.ready >= wanted_) rise.ready_ms = look.time_ms;
}

}  // namespace gputide::decide
