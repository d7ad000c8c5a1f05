#include "rightsize/usage/peaks.hpp"

#include <algorithm>

namespace gputide::rightsize {
namespace {

peak_change take(const peak_rules& peak_rules, peak_window& window, std::int64_t time_ms, amount bytes, bool is_oom) {
    peak_change out;
    out.accepted = true;
    if (!window.started()) window.end_ms = time_ms;  // the window before the first one has ended
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
    return std::max(std::min(used + oom_rules.least_bytes, most), scaled(used, oom_rules.ratio));
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
