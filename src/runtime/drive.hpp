// Who drives a fleet: a thread of its own, the host by steps, the host's loop through one descriptor, or whoever waits for
// an event while nobody else does.  Owns the curl client and token cache that the fleet's scalers share.
#pragma once

#include "base/result.hpp"
#include "http/client.hpp"
#include "runtime/fleet.hpp"
#include "runtime/seat.hpp"
#include "runtime/wake_descriptor.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace gputide::runtime {

class drive {
  public:
    static result<std::unique_ptr<drive>> open(const fleet_options& with);
    ~drive();  // stops the thread, however long it takes
    drive(const drive&) = delete;
    drive& operator=(const drive&) = delete;

    fleet& scalers() { return *fleet_; }

    // Any thread.
    result<void> start();
    result<void> stop(std::int64_t timeout_ms);  // timeout: it is still stopping; ask again

    // By the host's clock.  Returns the Unix time of the next wake; nothing: not before something stirs.
    result<std::optional<std::int64_t>> step(std::int64_t now_ms);

    // Waits while another drives, drives by the system's clock where nobody does.  Nothing: none came in time.
    result<std::optional<fleet_event>> next_event(std::int64_t timeout_ms, const http::cancel_flag* cancel);

    // Readable while an event waits, and, where the host drives, when step should be called.
    result<int> descriptor();

  private:
    drive() = default;
    void run();
    void run_until_stopped();
    void turn(std::int64_t most_ms);  // one step by the system's clock, then the network for at most so long
    void drive_until(std::int64_t until_ms, const std::function<bool()>& give_up);
    void stir();

    std::shared_ptr<http::client> client_;
    wake_descriptor wake_;
    std::unique_ptr<fleet> fleet_;

    seat driving_;     // held by whoever drives by steps
    std::mutex lock_;  // guards what follows
    std::condition_variable ended_;
    std::thread thread_;
    std::atomic<bool> running_{false};
    std::atomic<bool> stopping_{false};
};

}  // namespace gputide::runtime
