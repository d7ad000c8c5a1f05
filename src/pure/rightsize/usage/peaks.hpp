// Converts the memory of one GPU (or container) over time to one peak per window, as changes of a histogram.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/model/container.go.
#pragma once

#include "rightsize/estimate/amount.hpp"

#include <cstdint>
#include <optional>

namespace gputide::rightsize {

struct oom_rules {
    double ratio = 1.2;
    amount least_bytes = 100 * 1'048'576;
};

struct peak_rules {
    std::int64_t interval_ms = 86'400'000;
    oom_rules oom;
    // The originals treat a window with peak 0 as one without a sample, and so miss a rise of its memory.  A GPU's pod
    // starts at 0, before the model is loaded: there a peak of 0 counts.
    bool record_after_zero = false;
};

// Returns the memory to assume after an out-of-memory at this usage: max(used + least, used * ratio).
// 1048576000 bytes → 1258291200; 1048576 → 105906176.
amount needed_after_oom(const oom_rules& oom_rules, amount used);

struct peak_window {
    static constexpr std::int64_t none = INT64_MIN;

    std::int64_t end_ms = none;
    std::int64_t last_ms = none;  // of the last accepted sample
    amount usage = 0;             // the highest of this window
    amount after_oom = 0;         // assumed after an out-of-memory in this window

    bool started() const { return end_ms != none; }
    amount peak() const { return usage > after_oom ? usage : after_oom; }
};

// The changes for the histogram, both at the window's end with weight 1: first remove, then add.
struct peak_change {
    bool accepted = false;
    std::optional<amount> removed;
    std::optional<amount> added;
    std::int64_t time_ms = 0;
};

// Records a sample.  Rejected: below 0, or older than the last one.
peak_change take_sample(const peak_rules& peak_rules, peak_window& window, std::int64_t time_ms, amount bytes);

// Records an out-of-memory with the requested memory (0: unknown).  The memory assumed after an earlier one in the
// window does not count as usage, so that repeated ones do not grow without limit.  Rejected: older than the last
// sample by more than an interval.
peak_change take_oom(const peak_rules& peak_rules, peak_window& window, std::int64_t time_ms, amount requested);

}  // namespace gputide::rightsize
