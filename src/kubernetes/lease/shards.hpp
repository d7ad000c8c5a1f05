// Work spread over N Leases by a hash of each scaler's name, so that several instances share it: each leads as many as it got.
// Shard 0's Lease bears the plain name and says N for all of them: whoever spreads the work otherwise writes nothing.
#pragma once

#include "kubernetes/api/objects.hpp"
#include "kubernetes/lease/elector.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gputide::kubernetes {

// CRC-32C of "namespace/name" modulo shards.  Worked: "ml/llm" of 4 → 3.
std::int32_t shard_of(const object_key& key, std::int32_t shards);

// "gputide", "gputide-1", "gputide-2", ...
std::string lease_name(const std::string& name, std::int32_t shard);

class shard_leads {
  public:
    // changed: the lead of some shard may have come or gone; on the loop's thread.
    shard_leads(const std::shared_ptr<const api>& api, const lease_settings& settings,
                const std::function<void()>& changed);
    ~shard_leads() { stop(); }
    shard_leads(const shard_leads&) = delete;
    shard_leads& operator=(const shard_leads&) = delete;

    void start();
    void stop();
    void release(const std::function<void()>& done);  // gives back what is held; `done` runs once, later

    bool leads(std::int32_t shard) const;
    bool leads(const object_key& key) const { return leads(shard_of(key, settings_.shards)); }
    bool may_write(const object_key& key) const;  // a write that begins now ends while the lead is ours
    std::int32_t held() const;
    const std::vector<std::shared_ptr<elector>>& electors() const { return electors_; }
    std::int64_t write_ms() const { return settings_.write_ms(); }

  private:
    bool agrees() const;

    const lease_settings settings_;
    std::vector<std::shared_ptr<elector>> electors_;
};

}  // namespace gputide::kubernetes
