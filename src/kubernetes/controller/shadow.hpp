// Finds the controller that scales a target, and compares its size with the size that would be written here.  Pure.
#pragma once

#include "kubernetes/controller/store.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gputide::kubernetes {

// The HPA that scales the target of one, KEDA's own before others; nullptr: none is known.
const autoscaler* rival_of(const store<autoscaler>& rivals, const object_key& key, const target_reference& target);

struct compared_sizes {
    std::int32_t ours = 0;
    std::int32_t theirs = 0;
    bool theirs_counts = true;  // they have metrics, and know what they want
};

// The comparison of one scaler.  A difference counts once it has lasted longer than a sync period of the HPA controller; it is reported
// once, and ends when the sizes agree.
class comparison {
  public:
    // True: a difference has just become one.
    bool differs(const compared_sizes& sizes, std::int64_t now_ms, std::int64_t sync_ms);
    bool is_different() const { return is_reported_; }
    std::uint64_t compared() const { return compared_; }

  private:
    // As long as our windows are not full, only more than theirs is a finding: less may be what a window would have held.
    static constexpr std::int64_t longest_window_ms = 300'000;

    std::int64_t first_ms_ = 0;             // when it was compared first
    std::optional<std::int64_t> since_ms_;  // nothing: they agree
    bool is_reported_ = false;
    std::uint64_t compared_ = 0;
};

}  // namespace gputide::kubernetes
