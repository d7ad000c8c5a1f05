// The controller of a runtime, at most one: attach() opens it, detach() or the end of the driver ends it.
#pragma once

#include "base/result.hpp"
#include "runtime/controller.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace gputide::runtime {

class attachment {
  public:
    // is_observed_by_host: the fleet waits for the host's observation before each poll.
    attachment(controller_services services, bool is_observed_by_host)
        : services_(std::move(services)), is_observed_by_host_(is_observed_by_host) {}
    attachment(const attachment&) = delete;
    attachment& operator=(const attachment&) = delete;

    // Any thread; timeout_ms: 0 or more, or forever_ms.
    // Returns state if a controller is attached already, or if each poll waits for the host's observation; else what open() returns.
    result<void> attach(const open_controller& open);
    // Waits until the controller has ended, or until give_up() holds, which client::drive() asks.  Returns timeout if it has not
    // ended yet; another detach() goes on waiting.
    result<void> detach(std::int64_t timeout_ms, const std::function<bool()>& give_up);
    result<std::string> describe() const;  // waits for nothing; state: none is attached

  private:
    using flag = std::shared_ptr<std::atomic<bool>>;
    flag begin_end();
    void forget(const flag& ended);

    const controller_services services_;
    const bool is_observed_by_host_;

    mutable std::mutex lock_;                 // guards what follows; held for moments, never while driving
    std::shared_ptr<controller> controller_;  // null: none; destroyed between two callbacks of the loop
    flag ended_;                              // its detach() has begun, true: and ended; null: not begun
};

}  // namespace gputide::runtime
