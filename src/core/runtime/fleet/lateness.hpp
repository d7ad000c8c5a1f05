// Measures how late a fleet follows its load, by the rules of decide/lateness.hpp.  Times count from the sample of the first
// decision above the target.  No clock, no lock.
#pragma once

#include "base/json_writer.hpp"
#include "decide/decision.hpp"
#include "decide/lateness.hpp"
#include "runtime/fleet/histogram.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace gputide::runtime {

// The rises of a scaler.
struct scaler_lateness {
    decide::lateness finder;
    decide::load_look look;            // the last; its ready is unknown until it was observed
    std::optional<decide::rise> last;  // the last rise that has ended

    scaler_lateness() { look.ready = -1; }
};

class lateness {
  public:
    // read_ms: Unix time of the sample that the decision is based on.  now_ms: Unix.
    void decided(scaler_lateness& of, const decide::decision& decision, std::int64_t read_ms, std::int64_t now_ms);
    void written(scaler_lateness& of, std::int64_t now_ms);
    // ready: number of ready pods; negative: unknown.
    void observed(scaler_lateness& of, std::int32_t ready, std::int64_t now_ms);

    // Writes {"rises","decision_ms":{...},"write_ms":...,"ready_ms":...,"below_ms":...,"cause_ms":{...}}.
    void write(json_writer& json) const;

  private:
    void add(scaler_lateness& of, const decide::load_look& look);

    std::uint64_t rises_ = 0;  // begun
    std::array<histogram, 4> took_;
    std::array<std::int64_t, decide::late_cause_count> cause_ms_{};
};

// Writes "rise":{"began_ms","open","decision_ms",...,"cause"}, the rise in progress or the last one; omits stages that were not
// reached.  Writes nothing if no rise is recorded.
void write_rise(json_writer& json, const scaler_lateness& of);

}  // namespace gputide::runtime
