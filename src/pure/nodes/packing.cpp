#include "nodes/packing.hpp"

#include "base/saturate.hpp"

#include <algorithm>
#include <limits>

namespace gputide::nodes {
namespace {

constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

// Bins that are passed over together if none of them has enough of a resource.
constexpr std::uint32_t bins_per_block = 32;

}  // namespace

std::uint32_t bins::position_of(const std::string& name) {
    const auto [at, is_new] = positions_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (!is_new) return at->second;
    names_.push_back(name);
    if (is_gpu(name)) gpus_.push_back(at->second);
    return at->second;
}

std::uint32_t bins::rules_of(const placement& asks) {
    const auto [at, is_new] = rule_numbers_.try_emplace(node_rules_of(asks), static_cast<std::uint32_t>(rules_.size()));
    if (is_new) {
        rules_.push_back(&asks);
        allowed_.emplace_back();
    }
    return at->second;
}

std::uint32_t bins::add_demand(const placement& asks, std::uint32_t kind) {
    demanded demand;
    demand.kind = kind;
    demand.asks = &asks;
    demand.rules = rules_of(asks);
    if (asks.claims != nullptr) {
        demand.claims = devices_.add_claims(*asks.claims);
        std::vector<const device_claim*> claims;  // without those that depend on the node
        for (const auto& claim : asks.claims->claims) claims.push_back(claim.get());
        demand.min_devices = min_devices(claims);
    }
    has_claims_ = has_claims_ || asks.claims != nullptr;
    for (const resource& request : asks.requests) {
        if (request.amount > 0 && request.name != pods_name)
            demand.amounts.emplace_back(position_of(request.name), request.amount);
    }
    std::stable_partition(demand.amounts.begin(), demand.amounts.end(),
                          [&](const auto& amount) { return is_gpu(names_[amount.first]); });
    demand.amounts.emplace_back(position_of(std::string(pods_name)), 1);
    demands_.push_back(std::move(demand));
    return static_cast<std::uint32_t>(demands_.size() - 1);
}

std::uint32_t bins::add_kind(const node_shape& shape, std::string_view name) {
    kinds_.push_back({&shape, std::string(name)});
    return static_cast<std::uint32_t>(kinds_.size() - 1);
}

std::uint32_t bins::add_bin(std::uint32_t kind, const occupied& taken) {
    const resource_list& allocatable = kinds_[kind].shape->allocatable;
    if (kind_of_.size() % bins_per_block == 0)
        max_free_.resize(max_free_.size() + names_.size(), std::numeric_limits<std::int64_t>::min());
    std::int64_t* max_free = max_free_.data() + (max_free_.size() - names_.size());
    for (const std::string& name : names_) {
        const bool uncounted =
            name == pods_name ? !allocatable.lists(name) : allocatable.of(name) == 0 && devices_.maps(name);
        free_.push_back(uncounted ? unbounded : subtract_saturating(allocatable.of(name), taken.used.of(name)));
        *max_free = std::max(*max_free, free_.back());
        ++max_free;
    }
    if (rules_about_pods_ != nullptr) rules_about_pods_->add_node(*kinds_[kind].shape, kinds_[kind].name);
    if (has_claims_) devices_.add_bin(*kinds_[kind].shape, kinds_[kind].name);
    kind_of_.push_back(kind);
    placed_.push_back(0);
    ports_.push_back(taken.ports);
    return static_cast<std::uint32_t>(kind_of_.size() - 1);
}

bool bins::may_go(std::uint32_t rules, std::uint32_t kind) {
    std::vector<std::int8_t>& known = allowed_[rules];
    if (known.size() <= kind) known.resize(kinds_.size(), -1);
    if (known[kind] < 0) {
        const bool may = node_rules_hold(*rules_[rules], *kinds_[kind].shape, kinds_[kind].name);
        known[kind] = may ? 1 : 0;
    }
    return known[kind] == 1;
}

std::int64_t bins::capacity_for(const demanded& demand, std::uint32_t bin) const {
    const std::int64_t* const free = &free_[bin * names_.size()];
    std::int64_t capacity = unbounded;
    for (const auto& [position, amount] : demand.amounts) {
        if (free[position] < amount) return 0;
        if (free[position] != unbounded) capacity = std::min(capacity, free[position] / amount);
    }
    return capacity;
}

bool bins::block_may_fit(const demanded& demand, std::uint32_t block) const {
    const std::int64_t* const max_free = &max_free_[block * names_.size()];
    const std::uint32_t first = block * bins_per_block;
    const auto end = std::min<std::uint32_t>(first + bins_per_block, static_cast<std::uint32_t>(size()));
    if (demand.min_devices > 0 && devices_.max_free(first, end) < demand.min_devices) return false;
    return std::ranges::all_of(demand.amounts,
                               [&](const auto& amount) { return max_free[amount.first] >= amount.second; });
}

std::uint32_t bins::next_with_capacity(std::uint32_t demand, std::uint32_t from) const {
    const demanded& item = demands_[demand];
    while (from < size()) {
        if (from % bins_per_block == 0 && !block_may_fit(item, from / bins_per_block)) {
            from += bins_per_block;
        } else if (capacity_for(item, from) > 0) {
            return from;
        } else {
            ++from;
        }
    }
    return static_cast<std::uint32_t>(size());
}

void bins::take_amounts(const demanded& demand, std::uint32_t bin, std::int64_t count) {
    const std::size_t names = names_.size();
    const std::uint32_t first = bin - bin % bins_per_block;
    const std::size_t end = std::min<std::size_t>(first + bins_per_block, size());
    std::int64_t* const max_free = &max_free_[bin / bins_per_block * names];
    for (const auto& [position, amount] : demand.amounts) {
        std::int64_t& free = free_[bin * names + position];
        if (free == unbounded) continue;
        const bool was_max = free == max_free[position];
        free -= amount * count;
        if (free > max_free[position]) max_free[position] = free;
        if (!was_max || count < 0) continue;
        max_free[position] = free;
        for (std::size_t i = first; i < end; ++i)
            max_free[position] = std::max(max_free[position], free_[i * names + position]);
    }
}

std::int64_t bins::place_by_rules(std::uint32_t kind, std::uint32_t bin, std::int64_t max_pods) {
    const std::uint32_t node = first_node_ + bin;
    if (!rules_about_pods_->restricts(kind)) {
        rules_about_pods_->place(kind, node, max_pods);
        return max_pods;
    }
    std::int64_t count = 0;
    for (; count < max_pods && !rules_about_pods_->against(kind, node); ++count)
        rules_about_pods_->place(kind, node, 1);
    return count;
}

std::int64_t bins::place(std::uint32_t demand, std::uint32_t bin, std::int64_t max_pods) {
    const demanded& item = demands_[demand];
    std::int64_t count = std::min(max_pods, capacity_for(item, bin));
    if (count <= 0 || !may_go(item.rules, kind_of_[bin])) return 0;
    if (!item.asks->ports.empty()) {
        if (port_is_taken(*item.asks, ports_[bin])) return 0;
        count = 1;  // the second pod would collide with the first
    }
    if (item.asks->claims != nullptr) count = devices_.place(item.claims, bin, count);
    if (count > 0 && rules_about_pods_ != nullptr) {
        const std::int64_t by_rules = place_by_rules(item.kind, bin, count);
        if (item.asks->claims != nullptr) devices_.take_back(item.claims, bin, count - by_rules);
        count = by_rules;
    }
    if (count == 0) return 0;
    for (const host_port& port : item.asks->ports) ports_[bin].push_back(port);
    take_amounts(item, bin, count);
    placed_[bin] += count;
    return count;
}

bool bins::can_err(std::uint32_t demand) {
    return demands_[demand].asks->claims != nullptr && devices_.can_err(demands_[demand].claims);
}

bool bins::is_error(std::uint32_t demand) {
    const demanded& item = demands_[demand];
    for (std::uint32_t bin = 0; bin < kind_of_.size(); ++bin) {
        const bool fits =
            capacity_for(item, bin) > 0 && may_go(item.rules, kind_of_[bin]) && !port_is_taken(*item.asks, ports_[bin]);
        if (!fits || !devices_.is_error(item.claims, bin)) continue;
        if (rules_about_pods_ == nullptr || !rules_about_pods_->against(item.kind, first_node_ + bin)) return true;
    }
    return false;
}

void bins::take_back(std::uint32_t demand, std::uint32_t bin, std::int64_t count) {
    const demanded& item = demands_[demand];
    take_amounts(item, bin, -count);
    placed_[bin] -= count;
    if (rules_about_pods_ != nullptr) rules_about_pods_->place(item.kind, first_node_ + bin, -count);
    if (item.asks->claims != nullptr) devices_.take_back(item.claims, bin, count);
    for (const host_port& port : item.asks->ports) {
        const auto at = std::find(ports_[bin].rbegin(), ports_[bin].rend(), port);
        if (at != ports_[bin].rend()) ports_[bin].erase(std::next(at).base());
    }
}

void bins::put(std::uint32_t demand, std::uint32_t bin, std::int64_t count) {
    const demanded& item = demands_[demand];
    take_amounts(item, bin, count);
    placed_[bin] += count;
    if (rules_about_pods_ != nullptr) rules_about_pods_->place(item.kind, first_node_ + bin, count);
    for (const host_port& port : item.asks->ports) ports_[bin].push_back(port);
}

std::int64_t bins::free_gpus(std::uint32_t bin) const {
    std::int64_t sum = 0;
    for (const std::uint32_t position : gpus_)
        sum = add_saturating(sum, std::max<std::int64_t>(0, free_[bin * names_.size() + position]));
    return sum;
}

std::int64_t bins::lacking_gpus(std::uint32_t demand, std::uint32_t bin) const {
    std::int64_t sum = 0;
    for (const auto& [position, amount] : demands_[demand].amounts) {
        const std::int64_t free = free_[bin * names_.size() + position];
        if (free < amount && is_gpu(names_[position])) sum = add_saturating(sum, subtract_saturating(amount, free));
    }
    return sum;
}

}  // namespace gputide::nodes
