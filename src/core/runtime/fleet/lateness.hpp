// Measures how late a fleet follows its load.  A rise begins when the load exceeds the capacity of the replicas, and ends with
// the first pass that wants no more replicas than exist.  Measured from the time of the sample: the decision for more replicas,
// its write, the observation that so many are ready, and the end.  No clock, no lock.
#pragma once

#include "base/json_writer.hpp"
#include "decide/decision.hpp"
#include "runtime/fleet/histogram.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gputide::runtime {

enum class rise_stage : std::int32_t { decision = 0, write = 1, ready = 2, below = 3 };
inline constexpr std::array<std::string_view, 4> rise_stage_names{"decision_ms", "write_ms", "ready_ms", "below_ms"};

// The rise of a scaler in progress, or its last one.
struct rise {
    static constexpr std::int32_t not_reached = -1;

    std::int64_t began_ms = 0;                                                                // Unix; 0: none yet
    std::array<std::int32_t, 4> took_ms{not_reached, not_reached, not_reached, not_reached};  // index: rise_stage
    std::int32_t wanted = 0;  // replicas of its first decision
    bool is_open = false;

    std::int32_t took(rise_stage stage) const { return took_ms[static_cast<std::size_t>(stage)]; }
};

class lateness {
  public:
    // read_ms: Unix time of the sample that the decision is based on.  now_ms: Unix.
    void decided(rise& current, const decide::decision& decision, std::int64_t read_ms, std::int64_t now_ms);
    void written(rise& current, std::int64_t now_ms);
    // ready: number of ready pods; negative: unknown.
    void observed(rise& current, std::int32_t ready, std::int64_t now_ms);

    // Writes {"rises","decision_ms":{...},"write_ms":...,"ready_ms":...,"below_ms":...}.
    void write(json_writer& json) const;

  private:
    void reach(rise& current, rise_stage stage, std::int64_t now_ms);

    std::uint64_t rises_ = 0;
    std::array<histogram, 4> took_;
};

// Writes {"began_ms","open","decision_ms",...} of a scaler; omits stages that were not reached.
void write_rise(json_writer& json, const rise& rise);

}  // namespace gputide::runtime
