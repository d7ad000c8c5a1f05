// Who drives a fleet: a thread of its own, the host by steps, the host's loop through one descriptor, or whoever waits for
// an event while nobody else does.  Owns the curl client and token cache that the fleet's scalers share.
#pragma once

#include "base/result.hpp"
#include "http/client.hpp"
#include "runtime/driver/attachment.hpp"
#include "runtime/driver/memory_notice.hpp"
#include "runtime/driver/waiting.hpp"
#include "runtime/driver/wake_descriptor.hpp"
#include "runtime/fleet/fleet.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace gputide::runtime {

class driver {
  public:
    static result<std::unique_ptr<driver>> open(const fleet_options& options);
    ~driver();  // stops the thread, however long it takes; at once after close()
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;

    fleet& scalers() { return *fleet_; }
    attachment& attached() { return *attached_; }
    // As attachment::detach(), but close() ends it, and it wakes a host that drives by steps.
    result<void> detach(std::int64_t timeout_ms);

    // Whoever calls anything but close() says so here first, and does not call where the answer is false.
    call_count& calls() { return calls_; }

    // Any thread.  timeout_ms: 0 or more, or forever_ms.
    result<void> start();
    result<void> stop(std::int64_t timeout_ms);  // timeout: it is still stopping; ask again
    // For good: no call is let in any more, who waits for an event is sent away, the thread ends, polls are given up.
    // timeout: some call, or the thread, is inside still; ask again.
    result<void> close(std::int64_t timeout_ms);

    // By the host's clock.  Returns the Unix time of the next wake; nothing: not before something stirs.
    result<std::optional<std::int64_t>> step(std::int64_t now_ms);

    // Waits while another drives, drives by the system's clock where nobody does.  Nothing: none came in time.
    result<std::optional<fleet_event>> next_event(std::int64_t timeout_ms, const http::cancel_flag* cancel);

    // Readable while an event waits, and, where the host drives, when step should be called.
    result<int> descriptor();

  private:
    driver() = default;
    void run();
    void turn(std::int64_t limit_ms);  // one step by the system's clock, then the network for at most so long
    void drive_until(std::int64_t until_ms, const std::function<bool()>& give_up);
    std::optional<fleet_event> wait_for_event(std::int64_t until_ms, const std::function<bool()>& give_up);
    bool ended_by(std::unique_lock<std::mutex>& hold, std::chrono::steady_clock::time_point until);
    void stir();
    void rouse();  // everybody who waits looks again

    std::shared_ptr<http::client> client_;
    wake_descriptor wake_;
    std::unique_ptr<fleet> fleet_;
    std::unique_ptr<attachment> attached_;
    memory_notice memory_notice_;

    call_count calls_;
    cancellable_mutex driving_;  // held by whoever drives by steps
    std::mutex lock_;            // guards what follows
    std::condition_variable ended_;
    std::thread thread_;
    std::atomic<bool> running_{false};
    std::atomic<bool> stopping_{false};
};

}  // namespace gputide::runtime
