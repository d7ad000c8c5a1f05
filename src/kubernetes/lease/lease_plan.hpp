// Leader election by a Lease: client-go's algorithm (kubernetes/client-go tools/leaderelection) as a state machine.  Pure.
// Times in the record are never compared with a clock of ours: what counts is for how long it has not changed here.
#pragma once

#include "kube/objects.hpp"
#include "kubernetes/api/api.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace gputide::kubernetes {

inline constexpr std::int32_t min_lease_s = 3, max_lease_s = 3'600;  // what a text may ask for

struct lease_settings {
    std::string name_space;
    std::string name = "gputide";
    std::string identity;               // of this instance, among those that share the Lease
    std::int64_t duration_ms = 15'000;  // whole seconds; another may take over after that
    std::int32_t shards = 1;            // over how many Leases the work is spread

    // Kubernetes' own proportions: 15 s, 10 s, 2 s.  A write may take a fifth; it has ended before another one leads.
    std::int64_t renew_deadline_ms() const { return duration_ms * 2 / 3; }
    std::int64_t retry_ms() const { return duration_ms * 2 / 15; }
    std::int64_t write_ms() const { return duration_ms / 5; }
};

enum class lease_step { get, post, put };

struct lease_request {
    lease_step step = lease_step::get;
    std::string body;  // of a post or put
};

class lease_plan {
  public:
    explicit lease_plan(lease_settings settings) : settings_(std::move(settings)) {}

    // Returns the request to send now.  The holder writes over the version that it remembers; other instances read first.
    lease_request attempt(std::int64_t now_ms, std::int64_t wall_ms) const;
    // After a get: returns what to write, or nothing if another instance holds it or the server cannot be reached.
    std::optional<lease_request> read_came(const reply& reply, const std::optional<kube::lease>& record,
                                           std::int64_t now_ms, std::int64_t wall_ms);
    // After a post or put that was sent at sent_ms.
    void wrote(const reply& reply, const std::optional<kube::lease>& record, std::int64_t sent_ms);

    // Returns a write that leaves the Lease without a holder, over the version that was read.
    lease_request release(const kube::lease& record, std::int64_t wall_ms) const;
    void released() { holds_ = false; }

    bool holds(std::int64_t now_ms) const;      // until renew_deadline after the last renewal
    bool may_write(std::int64_t now_ms) const;  // and a write that begins now ends before that
    // The record was seen lately, and its holder spreads the work as this instance does.
    bool agrees(std::int64_t now_ms) const;
    std::int64_t wait_ms(std::int64_t now_ms, double uniform) const;  // until the next attempt

    const lease_settings& settings() const { return settings_; }
    const kube::lease& record() const { return record_; }  // as it was seen last

  private:
    std::string body(const std::string& holder, std::int64_t duration_ms, std::int64_t acquired_us,
                     std::int64_t transitions, const std::string& version, std::int64_t wall_ms) const;
    lease_request take_over(std::int64_t wall_ms) const;
    void observe(const kube::lease& seen, std::int64_t now_ms);

    const lease_settings settings_;
    kube::lease record_;
    std::int64_t observed_ms_ = 0;     // since when it is as it is
    std::int64_t seen_ms_ = 0;         // when it was read or written last
    std::int64_t quiet_until_ms_ = 0;  // until then those who spread the work otherwise may still write
    bool is_observed_ = false;
    bool is_stale_ = false;  // a write of ours conflicted with another
    bool holds_ = false;
    std::int64_t renewed_ms_ = 0;  // when the last renewal that succeeded was sent
};

}  // namespace gputide::kubernetes
