#include "rightsize/usage/usage.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::rightsize {
namespace {

usage_unit& unit_of(usage& to, std::uint32_t unit) {
    if (unit >= to.units.size()) [[unlikely]]
        to.units.resize(unit + 1);
    return to.units[unit];
}

// A peak weighs 1, at the end of its window.
bool apply(usage& to, const peak_change& change) {
    if (change.removed) to.memory.subtract(static_cast<double>(*change.removed), 1.0, change.time_ms);
    if (change.added) to.memory.add(static_cast<double>(*change.added), 1.0, change.time_ms);
    return change.accepted;
}

bool add_busy(usage& to, const usage_rules& by, usage_unit& unit, std::int64_t time_ms, double value) {
    if (!(value >= 0.0) || !std::isfinite(value) || time_ms <= unit.last_busy_ms) return false;
    unit.last_busy_ms = time_ms;
    to.busy.add(value, by.sample_weight, time_ms);
    to.seen.first_ms = to.seen.samples == 0 ? time_ms : std::min(to.seen.first_ms, time_ms);
    to.seen.last_ms = to.seen.samples == 0 ? time_ms : std::max(to.seen.last_ms, time_ms);
    ++to.seen.samples;
    return true;
}

}  // namespace

usage_taken add(usage& to, const usage_rules& by, const usage_sample& sample) {
    usage_unit& unit = unit_of(to, sample.unit);
    usage_taken out;
    if (sample.busy) out.busy = add_busy(to, by, unit, sample.time_ms, *sample.busy);
    if (sample.memory_bytes) {
        out.memory =
            apply(to, take_sample(by.peaks, unit.memory, sample.time_ms, std::min(*sample.memory_bytes, most)));
        to.memory_samples += out.memory ? 1 : 0;
    }
    if (out.busy || out.memory) to.last_ms = std::max(to.last_ms, sample.time_ms);
    return out;
}

bool add_oom(usage& to, const usage_rules& by, std::uint32_t unit, std::int64_t time_ms, amount requested) {
    if (!apply(to, take_oom(by.peaks, unit_of(to, unit).memory, time_ms, std::min(requested, most)))) return false;
    ++to.ooms;
    to.last_oom_ms = std::max(to.last_oom_ms, time_ms);
    to.last_ms = std::max(to.last_ms, time_ms);
    return true;
}

}  // namespace gputide::rightsize
