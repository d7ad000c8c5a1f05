// Finds the HPA that scales a target, and compares its size with gputide's decision.  Pure.
#pragma once

#include "kubernetes/controller/store.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gputide::kubernetes {

// Returns the HPA that scales the target, preferably KEDA's own; nullptr if none is known.
const autoscaler* rival_of(const store<autoscaler>& rivals, const object_key& key, const target_reference& target);

struct compared_sizes {
    std::int32_t ours = 0;
    std::int32_t theirs = 0;
    bool theirs_counts = true;  // the HPA has metrics, so its size is meaningful
};

// The comparison for a scaler.  A difference is reported once, after it has lasted longer than sync_ms, and ends when the sizes
// are equal.
class comparison {
  public:
    // Returns true when a difference is to be reported.
    bool differs(const compared_sizes& sizes, std::int64_t now_ms, std::int64_t sync_ms);
    bool is_different() const { return is_reported_; }
    std::uint64_t compared() const { return compared_; }

  private:
    // Until our stabilization windows are full, only a larger size counts as a difference: a full window might have prevented a
    // smaller one.
    static constexpr std::int64_t longest_window_ms = 300'000;

    std::int64_t first_ms_ = 0;             // first comparison
    std::optional<std::int64_t> since_ms_;  // empty: no difference
    bool is_reported_ = false;
    std::uint64_t compared_ = 0;
};

}  // namespace gputide::kubernetes
