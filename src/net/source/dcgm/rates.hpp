// Counters → rates per second, by what the counters were before.  The memory of a trigger; everything else is pure.
// In: the picks of a reading and its time; out: the same picks with rates as values, without those that have no earlier one.
#pragma once

#include "source/dcgm/picks.hpp"

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace gputide::source::dcgm {

class counter_history {
  public:
    // Older readings than this give no rate any more, and are forgotten.
    static constexpr std::int64_t longest_gap_ms = 15 * 60'000;

    // rate = Δvalue / Δtime, per series.  A smaller value is a restart: all of it was counted since, so it is the Δ.
    //   100 at 0 s, 160 at 30 s → 2 per second; then 12 at 60 s → 12 / 30 s = 0.4 per second
    // A reading's own timestamp counts where it has one, else now_ms.  No time passed: no rate, and the older value stays.
    picks advance(picks now, std::int64_t now_ms);

  private:
    struct counted {
        double value = 0.0;
        std::int64_t time_ms = 0;
    };

    std::mutex guard_;  // two fetches of one trigger may overlap
    std::unordered_map<std::string, counted> before_;
};

}  // namespace gputide::source::dcgm
