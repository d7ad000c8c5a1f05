// Leader election with a Lease: client-go's algorithm (kubernetes/client-go tools/leaderelection) as a state machine.  Pure.
// Never compares times in the Lease with the local clock.  A Lease expires if it has not changed for its duration, measured
// locally.
#pragma once

#include "kube/objects.hpp"
#include "kubernetes/api/api.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace gputide::kubernetes {

inline constexpr std::int32_t min_lease_s = 3, max_lease_s = 3'600;  // accepted in settings

struct lease_settings {
    std::string name_space;
    std::string name = "gputide";
    std::string identity;               // unique among the instances that share the Lease
    std::int64_t duration_ms = 15'000;  // whole seconds; another instance may take over after that
    std::int32_t shards = 1;            // number of Leases that share the work

    // Kubernetes' proportions: 15 s, 10 s, 2 s.  A write takes at most a fifth, so it ends before another instance becomes
    // leader.
    std::int64_t renew_deadline_ms() const { return duration_ms * 2 / 3; }
    std::int64_t retry_ms() const { return duration_ms * 2 / 15; }
    std::int64_t write_ms() const { return duration_ms / 5; }
};

enum class lease_step { get, post, put };

struct lease_request {
    lease_step step = lease_step::get;
    std::string body;  // of post and put
};

class lease_plan {
  public:
    explicit lease_plan(lease_settings settings) : settings_(std::move(settings)) {}

    // Returns the next request.  The holder updates the version that it knows; other instances read first.
    lease_request attempt(std::int64_t now_ms, std::int64_t wall_ms) const;
    // Takes the result of a get.  Returns the write to send, or nothing if another instance holds the Lease or the get failed.
    std::optional<lease_request> read_came(const reply& reply, const std::optional<kube::lease>& record,
                                           std::int64_t now_ms, std::int64_t wall_ms);
    // Takes the result of a post or put that was sent at sent_ms.
    void wrote(const reply& reply, const std::optional<kube::lease>& record, std::int64_t sent_ms);

    // Returns an update that removes the holder from the Lease that was read.
    lease_request release(const kube::lease& record, std::int64_t wall_ms) const;
    void released() { holds_ = false; }

    bool holds(std::int64_t now_ms) const;      // until renew_deadline after the last renewal
    bool may_write(std::int64_t now_ms) const;  // a write that starts now ends before that
    // Tells whether the Lease was observed recently and has the same number of shards as this instance.
    bool agrees(std::int64_t now_ms) const;
    std::int64_t wait_ms(std::int64_t now_ms, double uniform) const;  // delay until the next attempt

    const lease_settings& settings() const { return settings_; }
    const kube::lease& record() const { return record_; }  // as last observed

  private:
    std::string body(const std::string& holder, std::int64_t duration_ms, std::int64_t acquired_us,
                     std::int64_t transitions, const std::string& version, std::int64_t wall_ms) const;
    lease_request take_over(std::int64_t wall_ms) const;
    void observe(const kube::lease& seen, std::int64_t now_ms);

    const lease_settings settings_;
    kube::lease record_;
    std::int64_t observed_ms_ = 0;     // since when the record is unchanged
    std::int64_t seen_ms_ = 0;         // last read or write
    std::int64_t quiet_until_ms_ = 0;  // until then instances with another number of shards may still write
    bool is_observed_ = false;
    bool is_stale_ = false;  // our write conflicted with another
    bool holds_ = false;
    std::int64_t renewed_ms_ = 0;  // when the last successful renewal was sent
};

}  // namespace gputide::kubernetes
