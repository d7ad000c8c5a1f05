// Whether an endpoint is to be asked: a circuit breaker.  Pure; times on the steady clock.
//   closed     all pass; `failures` in a row, or a wish for patience, open it
//   open       nobody passes until its time; then
//   half open  one passes as a trial: its success closes, its failure opens for twice as long as before
// A wish (Retry-After) is honoured up to an hour.
#pragma once

#include <cstdint>

namespace gputide::http {

struct breaker_rule {
    std::int32_t failures = 5;
    std::int64_t base_ms = 1'000;
    std::int64_t cap_ms = 60'000;
};

enum class circuit : std::int32_t { closed = 0, open = 1, half_open = 2 };

const char* circuit_name(circuit state) noexcept;  // "half_open"

class breaker {
  public:
    // True: ask; a trial must be followed by one of the four below.
    bool admit(std::int64_t now_ms);

    void succeeded();
    // uniform in [0, 1): the wait is between 0.9 and 1.1 of what it would be, so that trials of many do not meet.
    void failed(const breaker_rule& rule, std::int64_t now_ms, double uniform);
    void note_patience(std::int64_t until_ms, std::int64_t now_ms);
    void given_up();  // nobody knows how it would have ended

    circuit state() const { return state_; }
    std::int32_t failures() const { return failures_; }
    std::int64_t until_ms() const { return until_ms_; }  // while open
    std::uint64_t openings() const { return openings_; }

  private:
    void open(std::int64_t until_ms);

    circuit state_ = circuit::closed;
    bool trial_under_way_ = false;
    std::int32_t failures_ = 0;  // in a row
    std::int32_t trials_ = 0;    // failed ones, in a row
    std::int64_t until_ms_ = 0;
    std::uint64_t openings_ = 0;
};

}  // namespace gputide::http
