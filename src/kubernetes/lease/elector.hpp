// Executes the plan of a Lease (lease_plan.hpp) over the network: acquires, renews and releases the Lease.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"
#include "kubernetes/lease/lease_plan.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gputide::kubernetes {

struct elector_rules {
    std::function<void()> changed;  // called after each attempt, on the loop's thread
    // false: the Lease is neither acquired nor renewed; empty: always true
    std::function<bool()> may_lead;
    std::function<std::int64_t()> hesitation_ms;  // delay before acquiring a free Lease
};

class elector : public std::enable_shared_from_this<elector> {
  public:
    elector(std::shared_ptr<const api> api, lease_settings settings, elector_rules rules);

    void start() { attempt(); }
    void stop();
    // Releases the Lease if it is held.  `done` runs once, later.
    void release(std::function<void()> done);

    bool leads() const { return plan_.holds(now_ms()); }
    bool may_write() const { return !is_ending_ && plan_.may_write(now_ms()); }
    bool agrees() const { return plan_.agrees(now_ms()); }  // see lease_plan
    const lease_plan& plan() const { return plan_; }
    const error& why() const { return why_; }  // the last failure; status ok after a successful attempt

  private:
    std::int64_t now_ms() const { return api_->loop().steady_ms(); }
    endpoint lease() const { return kube::lease_of(plan_.settings().name_space, plan_.settings().name); }
    void attempt();
    void send(const lease_request& request);
    void after(std::int64_t wait_ms, std::function<void()> next);
    void take_read(const reply& reply, const endpoint& endpoint);
    void again();
    void give_back(const kube::lease& record, std::function<void()> done);

    const std::shared_ptr<const api> api_;
    lease_plan plan_;
    const elector_rules rules_;
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
    shard_leads(const std::shared_ptr<const api>& api, const lease_settings& settings,
                const std::function<void()>& changed);
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
    const std::vector<std::shared_ptr<elector>>& electors() const { return electors_; }
    std::int64_t write_ms() const { return settings_.write_ms(); }

  private:
    bool agrees() const;

    const lease_settings settings_;
    std::vector<std::shared_ptr<elector>> electors_;
};

}  // namespace gputide::kubernetes
