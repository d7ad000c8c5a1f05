// A circuit breaker: whether requests to an endpoint are sent.  Pure; times on the steady clock.
//   closed     requests are sent; `failures` in a row, or a Retry-After, open it
//   open       requests are refused until a set time; then
//   half open  one request is sent as a trial: success closes it, failure opens it for twice as long as before
// Retry-After is followed up to an hour.
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
    // Returns true if the request may be sent; a trial must be followed by one of the four calls below.
    bool admit(std::int64_t now_ms);

    void succeeded();
    // uniform in [0, 1): varies the wait between 0.9 and 1.1 of its length, so that many trials do not coincide.
    void failed(const breaker_rule& rule, std::int64_t now_ms, double uniform);
    void note_patience(std::int64_t until_ms, std::int64_t now_ms);
    void given_up();  // the result is unknown

    circuit state() const { return state_; }
    std::int32_t failures() const { return failures_; }
    std::int64_t until_ms() const { return until_ms_; }  // while open
    std::uint64_t openings() const { return openings_; }

  private:
    void open(std::int64_t until_ms);

    circuit state_ = circuit::closed;
    bool trial_under_way_ = false;
    std::int32_t failures_ = 0;  // consecutive
    std::int32_t trials_ = 0;    // failed ones, consecutive
    std::int64_t until_ms_ = 0;
    std::uint64_t openings_ = 0;
};

}  // namespace gputide::http
