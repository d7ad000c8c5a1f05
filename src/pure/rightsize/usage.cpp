#include "rightsize/usage.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::rightsize {

namespace {

usage_unit& unit_of(usage& usage, std::uint32_t unit) {
    if (unit >= usage.units.size()) [[unlikely]]
        usage.units.resize(unit + 1);
    return usage.units[unit];
}

// Applies a change of peaks: each has weight 1 at the end of its window.
bool apply(usage& usage, const peak_change& change) {
    if (change.removed) usage.memory.subtract(static_cast<double>(*change.removed), 1.0, change.time_ms);
    if (change.added) usage.memory.add(static_cast<double>(*change.added), 1.0, change.time_ms);
    return change.accepted;
}

bool add_busy(usage& usage, const usage_rules& usage_rules, usage_unit& unit, std::int64_t time_ms, double value) {
    if (!(value >= 0.0) || !std::isfinite(value) || time_ms <= unit.last_busy_ms) return false;
    unit.last_busy_ms = time_ms;
    usage.busy.add(value, usage_rules.sample_weight, time_ms);
    usage.seen.first_ms = usage.seen.samples == 0 ? time_ms : std::min(usage.seen.first_ms, time_ms);
    usage.seen.last_ms = usage.seen.samples == 0 ? time_ms : std::max(usage.seen.last_ms, time_ms);
    ++usage.seen.samples;
    return true;
}

}  // namespace

usage_taken add(usage& usage, const usage_rules& usage_rules, const usage_sample& sample) {
    usage_unit& unit = unit_of(usage, sample.unit);
    usage_taken out;
    if (sample.busy) out.busy = add_busy(usage, usage_rules, unit, sample.time_ms, *sample.busy);
    if (sample.memory_bytes) {
        out.memory = apply(usage, take_sample(usage_rules.peaks, unit.memory, sample.time_ms,
                                              std::min(*sample.memory_bytes, max_amount)));
        usage.memory_samples += out.memory ? 1 : 0;
    }
    if (out.busy || out.memory) usage.last_ms = std::max(usage.last_ms, sample.time_ms);
    return out;
}

bool add_oom(usage& usage, const usage_rules& usage_rules, std::uint32_t unit, std::int64_t time_ms, amount requested) {
    if (!apply(usage,
               take_oom(usage_rules.peaks, unit_of(usage, unit).memory, time_ms, std::min(requested, max_amount))))
        return false;
    ++usage.ooms;
    usage.last_oom_ms = std::max(usage.last_oom_ms, time_ms);
    usage.last_ms = std::max(usage.last_ms, time_ms);
    return true;
}

namespace {

peak_change take(const peak_rules& peak_rules, peak_window& window, std::int64_t time_ms, amount bytes, bool is_oom) {
    peak_change out;
    out.accepted = true;
    if (!window.started()) window.end_ms = time_ms;  // the window before the first sample has ended
    window.last_ms = time_ms;
    if (time_ms >= window.end_ms) {
        window.end_ms +=
            (time_ms - window.end_ms) / peak_rules.interval_ms * peak_rules.interval_ms + peak_rules.interval_ms;
        window.usage = 0;
        window.after_oom = 0;
    } else {
        const amount before = window.peak();
        if (bytes <= before || (before == 0 && !peak_rules.record_after_zero)) return out;
        out.removed = before;
    }
    (is_oom ? window.after_oom : window.usage) = bytes;
    out.added = bytes;
    out.time_ms = window.end_ms;
    return out;
}

}  // namespace

amount needed_after_oom(const oom_rules& oom_rules, amount used) {
    return std::max(std::min(used + oom_rules.min_bytes, max_amount), scaled(used, oom_rules.ratio));
}

peak_change take_sample(const peak_rules& peak_rules, peak_window& window, std::int64_t time_ms, amount bytes) {
    if (bytes < 0 || (window.started() && time_ms < window.last_ms)) return {};
    return take(peak_rules, window, time_ms, bytes, false);
}

peak_change take_oom(const peak_rules& peak_rules, peak_window& window, std::int64_t time_ms, amount requested) {
    if (requested < 0 || (window.started() && time_ms < window.last_ms - peak_rules.interval_ms)) return {};
    const amount used = std::max(requested, window.usage);
    return take(peak_rules, window, time_ms, needed_after_oom(peak_rules.oom, used), true);
}

}  // namespace gputide::rightsize
