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

    // Opens a controller.  Returns status::state if a controller is already attached, or if each poll waits for the host's
    // observation; otherwise the result of open().
    // All functions are thread-safe.  timeout_ms: 0 or more, or forever_ms.
    result<void> attach(const open_controller& open);
    // Ends the controller and waits until it has ended, or until give_up() returns true; client::drive() calls give_up().
    // Returns timeout if it has not ended yet; another detach() continues to wait.
    result<void> detach(std::int64_t timeout_ms, const std::function<bool()>& give_up);
    result<std::string> describe() const;  // does not block; status::state if no controller is attached

  private:
    using flag = std::shared_ptr<std::atomic<bool>>;
    flag begin_end();
    void forget(const flag& ended);

    const controller_services services_;
    const bool is_observed_by_host_;

    mutable std::mutex lock_;                 // guards what follows; never held for long or while driving
    std::shared_ptr<controller> controller_;  // null: none; destroyed between two callbacks of the loop
    flag ended_;  // null: detach() has not begun; false: it has begun; true: the controller has ended
};

}  // namespace gputide::runtime
