// The cluster that a runtime works on by itself, one at most: comes with attach(), goes with detach() or the driver.  What it
// does meanwhile is runtime/cluster/'s business.
#pragma once

#include "base/result.hpp"
#include "http/client.hpp"
#include "pipeline/host.hpp"
#include "runtime/fleet/fleet.hpp"
#include "source/source.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace gputide::cluster {
struct settings;
}

namespace gputide::runtime {

class attached_cluster;

class attachment {
  public:
    // is_observed_by_host: the fleet waits for the host's observation before each poll.
    attachment(fleet& fleet, std::shared_ptr<http::client> client, source::services services, bool is_observed_by_host);
    ~attachment();  // when nobody drives any more
    attachment(const attachment&) = delete;
    attachment& operator=(const attachment&) = delete;

    // Any thread; timeout_ms: 0 or more, or forever_ms.
    // state: one is attached already, or each poll waits for the host's observation.  Else what keeps the API server from
    // being asked.
    result<void> attach(cluster::settings settings, const pipeline::host_options& host);
    // Waits until its scalers are gone and its Leases given back, or until give_up() holds, which client::drive() asks.
    // Returns timeout if they are not yet; another detach() goes on waiting.
    result<void> detach(std::int64_t timeout_ms, const std::function<bool()>& give_up);
    result<std::string> describe() const;  // waits for nothing; state: none is attached

    // Of a scaler of the cluster's, on the thread that drives.  One is attached then: its scalers come after it and leave
    // before it.
    void decided(scaler_id id, const scaler& made);

  private:
    fleet& fleet_;
    const std::shared_ptr<http::client> client_;
    const source::services services_;
    const bool is_observed_by_host_;

    using flag = std::shared_ptr<std::atomic<bool>>;
    flag end_cluster();
    void forget_cluster(const flag& ended);

    mutable std::mutex lock_;                    // guards what follows; held for moments, never while driving
    std::shared_ptr<attached_cluster> cluster_;  // null: none; destroyed between two callbacks of the loop
    flag ended_;                                 // its detach() has begun, true: and ended; null: not begun
};

}  // namespace gputide::runtime
