// Drives a fleet: with its own thread, by the host's steps, by the host's loop through one descriptor, or on a thread that waits
// for an event while nothing else drives.  Owns the curl client and token cache that the fleet's scalers share.
#pragma once

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "http/client.hpp"
#include "runtime/controller.hpp"
#include "runtime/driver/waiting.hpp"
#include "runtime/fleet/fleet.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace gputide::runtime {

// The controller of a runtime, at most one: attach() opens it, detach() or the end of the driver ends it.
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
    result<void> attach(open_controller open);
    // Ends the controller and waits until it has ended, or until give_up() returns true; client::drive() calls give_up().
    // Returns timeout if it has not ended yet; another detach() continues to wait.
    result<void> detach(std::int64_t timeout_ms, function_ref<bool()> give_up);
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

// Logs that the process is short of memory.  Failed operations are retried, so nothing else would show it.
class memory_notice {
  public:
    static constexpr std::int64_t interval_ms = 60'000;

    memory_notice();
    // Logs allocations that failed since the last line, at most one line per interval.  If the line cannot be allocated, the
    // next call tries again.
    void look(std::int64_t steady_ms) noexcept;

  private:
    std::uint64_t said_;
    std::int64_t next_ms_ = INT64_MIN;
};

class driver {
  public:
    static result<std::unique_ptr<driver>> open(const fleet_options& options);
    ~driver();  // stops the thread, however long that takes; does not wait after close()
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;

    fleet& scalers() { return *fleet_; }
    attachment& attached() { return *attached_; }
    // Calls attachment::detach(); close() ends the wait.  Also wakes a host that drives by steps.
    result<void> detach(std::int64_t timeout_ms);

    // Counts calls: every call except close() must register here first, and must not continue if that returns false.
    call_count& calls() { return calls_; }

    // Thread-safe.  timeout_ms: 0 or more, or forever_ms.
    result<void> start();
    result<void> stop(std::int64_t timeout_ms);  // timeout: it is still stopping; call again
    // Shuts down permanently: rejects new calls, ends waits for events and the thread, and gives up polls.  Returns timeout if a
    // call or the thread is still running; call again.
    result<void> close(std::int64_t timeout_ms);

    // Runs one step at the host's time.  Returns the Unix time of the next step; nullopt: not before something changes.
    result<std::optional<std::int64_t>> step(std::int64_t now_ms);

    // Waits for an event while another thread drives, or drives by the system's clock if none does. nullopt: timeout.
    result<std::optional<fleet_event>> next_event(std::int64_t timeout_ms, const http::cancel_flag* cancel);

    // Returns a descriptor that is readable while an event waits and, if the host drives, when step() should be called.
    result<int> descriptor();

  private:
    driver() = default;
    void run();
    void turn(std::int64_t limit_ms);  // one step by the system's clock, then the network for up to limit_ms
    void drive_until(std::int64_t until_ms, function_ref<bool()> give_up);
    std::optional<fleet_event> wait_for_event(std::int64_t until_ms, function_ref<bool()> give_up);
    bool ended_by(std::unique_lock<std::mutex>& hold, std::chrono::steady_clock::time_point until);
    void stir();
    void rouse();  // wakes all waiting threads

    std::shared_ptr<http::client> client_;
    wake_descriptor wake_;
    std::unique_ptr<fleet> fleet_;
    std::unique_ptr<attachment> attached_;
    memory_notice memory_notice_;

    call_count calls_;
    cancellable_mutex driving_;  // held by a call that drives by steps
    std::mutex lock_;            // guards what follows
    std::condition_variable ended_;
    std::thread thread_;
    std::atomic<bool> running_{false};
    std::atomic<bool> stopping_{false};
};

}  // namespace gputide::runtime
