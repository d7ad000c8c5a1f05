// One caller that waits for a token: told once, or released before that by its own cancel.
// Safe from any thread; whoever is told is told on the loop.
#pragma once

#include "auth/credential.hpp"

#include <atomic>
#include <cstdint>
#include <memory>

namespace gputide::auth {

class waiter final : public http::exchange, public std::enable_shared_from_this<waiter> {
  public:
    waiter(const std::shared_ptr<http::loop>& on, std::int64_t deadline_ms, token_done done);

    void cancel() override;
    void tell(result<token> got);                               // only the first one counts
    void tell_after(std::int64_t delay_ms, result<token> got);  // unless it is told something else by then

    std::int64_t deadline_ms() const { return deadline_ms_; }
    bool over() const { return over_; }

  private:
    void stop_timer();

    const std::weak_ptr<http::loop> on_;  // its timers hold callers; a caller must not hold it in turn
    const std::int64_t deadline_ms_;
    token_done done_;  // belongs to whoever turns over_
    std::atomic<bool> over_{false};
    std::atomic<http::ticket> timer_{0};
};

}  // namespace gputide::auth
