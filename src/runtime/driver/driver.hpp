// Who drives a fleet: a thread of its own, the host by steps, the host's loop through one descriptor, or whoever waits for
// an event while nobody else does.  Owns the curl client and token cache that the fleet's scalers share.
#pragma once

#include "base/result.hpp"
#include "http/client.hpp"
#include "pipeline/host.hpp"
#include "runtime/driver/call_count.hpp"
#include "runtime/driver/cancellable_mutex.hpp"
#include "runtime/driver/wake_descriptor.hpp"
#include "runtime/fleet/fleet.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace gputide::cluster {
struct settings;
}

namespace gputide::runtime {

class attached_cluster;

inline constexpr std::int64_t forever_ms = -1;  // as a timeout

class driver {
  public:
    static result<std::unique_ptr<driver>> open(const fleet_options& options);
    ~driver();  // stops the thread, however long it takes; at once after close()
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;

    fleet& scalers() { return *fleet_; }

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

    // The cluster that the runtime works on by itself; one at most.  state: it is attached already, or each poll waits for the
    // host's observation.  Else what keeps the API server from being asked.
    result<void> attach(cluster::settings settings, const pipeline::host_options& host);
    // Its scalers are gone and its Leases given back; timeout: they are not yet, ask again.
    result<void> detach(std::int64_t timeout_ms);
    result<std::string> describe_cluster() const;  // state: none is attached

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
    source::services services_;
    bool asks_host_ = false;  // before each poll
    std::unique_ptr<fleet> fleet_;

    mutable std::mutex cluster_lock_;
    std::shared_ptr<attached_cluster> cluster_;  // null: none

    call_count calls_;
    cancellable_mutex driving_;  // held by whoever drives by steps
    std::mutex lock_;            // guards what follows
    std::condition_variable ended_;
    std::thread thread_;
    std::atomic<bool> running_{false};
    std::atomic<bool> stopping_{false};
};

}  // namespace gputide::runtime
