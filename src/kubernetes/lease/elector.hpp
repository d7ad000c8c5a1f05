// The plan of a Lease, and its execution over the network: acquires, renews and releases the Lease.
#pragma once

#include "base/callback.hpp"
#include "kube/answer.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

// Leader election with a Lease: client-go's algorithm (kubernetes/client-go tools/leaderelection) as a state machine.  Pure.
// Never compares times in the Lease with the local clock.  A Lease expires if it has not changed for its duration, measured
// locally.

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

class lease_plan {
  public:
    explicit lease_plan(lease_settings settings) : settings_(std::move(settings)) {}

    endpoint lease() const { return kube::lease_of(settings_.name_space, settings_.name); }
    api_request read() const;
    // Returns the next request.  The holder updates the version that it knows; other instances read first.
    api_request attempt(std::int64_t now_ms, std::int64_t wall_ms) const;
    // Takes the result of a read.  Returns the write to send, or nothing if another instance holds the Lease or the read failed.
    std::optional<api_request> read_came(const reply& reply, const std::optional<kube::lease>& record,
                                         std::int64_t now_ms, std::int64_t wall_ms);
    // Takes the result of a write that was sent at sent_ms.
    void wrote(const reply& reply, const std::optional<kube::lease>& record, std::int64_t sent_ms);

    // Returns an update that removes the holder from the Lease that was read.
    api_request release(const kube::lease& record, std::int64_t wall_ms) const;
    void released() { holds_ = false; }

    bool holds(std::int64_t now_ms) const;      // until renew_deadline after the last renewal
    bool may_write(std::int64_t now_ms) const;  // a write that starts now ends before that
    // Tells whether the Lease was observed recently and has the same number of shards as this instance.
    bool agrees(std::int64_t now_ms) const;
    std::int64_t wait_ms(std::int64_t now_ms, double uniform) const;  // delay until the next attempt

    const lease_settings& settings() const { return settings_; }
    const kube::lease& record() const { return record_; }  // as last observed

  private:
    // version "": creates the Lease.
    api_request write(const std::string& holder, std::int64_t duration_ms, std::int64_t acquired_us,
                      std::int64_t transitions, const std::string& version, std::int64_t wall_ms) const;
    api_request take_over(std::int64_t wall_ms) const;
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

class shard_leads;

// Acquires and renews the Lease of a shard.
class elector : public std::enable_shared_from_this<elector> {
  public:
    elector(std::shared_ptr<api> api, lease_settings settings, const shard_leads& shards, bool is_first);

    void start() { attempt(); }
    void stop();
    // Releases the Lease if it is held.  `done` runs once, later.
    void release(callback<void()> done);

    bool leads() const { return plan_.holds(now_ms()); }
    bool may_write() const { return !is_ending_ && plan_.may_write(now_ms()); }
    bool agrees() const { return plan_.agrees(now_ms()); }  // see lease_plan
    const lease_plan& plan() const { return plan_; }
    const error& why() const { return why_; }  // the last failure; status ok after a successful attempt

  private:
    std::int64_t now_ms() const { return api_->loop().steady_ms(); }
    void attempt();
    void send(const api_request& request);
    void after(std::int64_t wait_ms, callback<void()> next);
    void take_read(const reply& reply, const endpoint& endpoint);
    void again();
    void give_back(const kube::lease& record, callback<void()> done);

    const std::shared_ptr<api> api_;
    lease_plan plan_;
    const shard_leads& shards_;
    const bool is_first_;  // the other electors act only while its Lease agrees on the number of shards
    error why_;
    http::ticket wait_ = 0;
    std::shared_ptr<http::exchange> under_way_;
    bool is_ending_ = false;
};

// Distributes the scalers over N Leases by a hash of their names, so that several instances share the work.
// The Lease of shard 0 has the name without a number and also stores N: an instance with a different N does not write.

// Returns CRC-32C of "namespace/name" modulo shards.  "ml/llm" of 4 → 3.
std::int32_t shard_of(const object_key& key, std::int32_t shards);

// Returns the name of a shard's Lease: "gputide", "gputide-1", "gputide-2", ...
std::string lease_name(const std::string& name, std::int32_t shard);

class shard_leads {
  public:
    // changed: the leadership of a shard may have changed; called on the loop's thread.
    shard_leads(const std::shared_ptr<api>& api, const lease_settings& settings, std::function<void()> changed);
    ~shard_leads() { stop(); }
    shard_leads(const shard_leads&) = delete;
    shard_leads& operator=(const shard_leads&) = delete;

    void start();
    void stop();
    void release(const std::function<void()>& done);  // releases the held Leases; `done` runs once, later

    bool leads(std::int32_t shard) const;
    bool leads(const object_key& key) const { return leads(shard_of(key, settings_.shards)); }
    bool may_write(const object_key& key) const;  // a write that starts now ends within the leadership
    std::int32_t held() const;
    bool agrees() const;
    std::int64_t hesitation_ms() const;  // delay before acquiring a free Lease
    void note_attempt() const { changed_(); }
    const std::vector<std::shared_ptr<elector>>& electors() const { return electors_; }
    std::int64_t write_ms() const { return settings_.write_ms(); }

  private:
    const lease_settings settings_;
    const std::function<void()> changed_;
    std::vector<std::shared_ptr<elector>> electors_;
};

}  // namespace gputide::kubernetes
