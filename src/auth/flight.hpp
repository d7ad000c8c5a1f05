// One acquisition under way: what its caller can cancel, and who is told the outcome, once.
// Shared by all credentials; safe to cancel from any thread.
#pragma once

#include "auth/credential.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace gputide::auth {

class flight final : public http::exchange, public std::enable_shared_from_this<flight> {
  public:
    flight(http::loop& on, std::int64_t deadline_ms, token_done done);

    void cancel() override;

    http::loop& loop() const { return on_; }
    std::int64_t deadline_ms() const { return deadline_ms_; }

    void carry(const std::shared_ptr<http::exchange>& inner);  // what cancel() has to stop
    void finish(result<token> got);                            // on the loop; only the first call counts
    void finish_soon(result<token> got);                       // in the loop's next turn: from within acquire()

  private:
    http::loop& on_;
    const std::int64_t deadline_ms_;
    std::mutex guard_;
    token_done done_;  // empty: finished or cancelled
    std::shared_ptr<http::exchange> inner_;
};

}  // namespace gputide::auth
