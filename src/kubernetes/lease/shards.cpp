#include "kubernetes/lease/shards.hpp"

#include "base/checksum.hpp"

#include <algorithm>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t hesitation_ms = 100;  // a shard that is held: those with fewer come first
constexpr std::int64_t longest_hesitation_ms = 500;

}  // namespace

std::int32_t shard_of(const object_key& key, std::int32_t shards) {
    return static_cast<std::int32_t>(crc32c(key.text()) % static_cast<std::uint32_t>(shards));
}

std::string lease_name(const std::string& name, std::int32_t shard) {
    return shard == 0 ? name : name + "-" + std::to_string(shard);
}

shard_leads::shard_leads(const std::shared_ptr<const api>& api, const lease_settings& settings,
                         const std::function<void()>& changed)
    : settings_(settings) {
    for (std::int32_t shard = 0; shard < settings.shards; ++shard) {
        lease_settings its = settings;
        its.name = lease_name(settings.name, shard);
        elector_rules rules;
        rules.changed = changed;
        if (shard > 0) rules.may_lead = [this] { return agrees(); };
        rules.hesitation_ms = [this] { return std::min(longest_hesitation_ms, hesitation_ms * held()); };
        electors_.push_back(std::make_shared<elector>(api, std::move(its), std::move(rules)));
    }
}

void shard_leads::start() {
    for (const auto& one : electors_) one->start();
}

void shard_leads::stop() {
    for (const auto& one : electors_) one->stop();
}

void shard_leads::release(const std::function<void()>& done) {
    const auto left = std::make_shared<std::size_t>(electors_.size());
    for (const auto& one : electors_) {
        one->release([left, done] {
            if (--*left == 0) done();
        });
    }
}

bool shard_leads::agrees() const { return electors_.front()->agrees(); }

bool shard_leads::leads(std::int32_t shard) const {
    return electors_[static_cast<std::size_t>(shard)]->leads() && agrees();
}

bool shard_leads::may_write(const object_key& key) const {
    return electors_[static_cast<std::size_t>(shard_of(key, settings_.shards))]->may_write() && agrees();
}

std::int32_t shard_leads::held() const {
    return static_cast<std::int32_t>(
        std::count_if(electors_.begin(), electors_.end(), [](const auto& one) { return one->leads(); }));
}

}  // namespace gputide::kubernetes
