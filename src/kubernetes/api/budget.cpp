#include "kubernetes/api/api.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace gputide::kubernetes {
namespace {

constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();
// API Priority and Fairness queues the requests of one account behind each other.  A Lease request therefore waits for at most
// the sum of these: 92.
constexpr std::array<std::size_t, lane_count> places{unbounded, 16, 16, 16, 8, 8, 4, 16, 8};

}  // namespace

lane lane_of(const kube::endpoint& target) {
    const std::string_view resource = target.resource;
    if (resource == "leases") return lane::lease;
    if (resource.ends_with("/scale")) return target.verb == "get" ? lane::size : lane::write;
    if (resource.ends_with("/status")) return lane::status;
    if (target.verb == "list") return lane::list;
    if (resource == "secrets" || resource == "configmaps" || resource == "serviceaccounts/token") return lane::text;
    if (resource == "jobs") return lane::job;
    if (resource == "events") return lane::event;
    return lane::rest;
}

std::string tenant_of(const kube::endpoint& target) {
    constexpr std::string_view before = "/namespaces/";
    if (!std::string_view(target.path).starts_with(before)) return {};
    return target.path.substr(before.size(), target.path.find('/', before.size()) - before.size());
}

std::size_t max_under_way(lane lane) { return places[static_cast<std::size_t>(lane)]; }

std::size_t max_of_tenant(lane lane, bool is_tenant) {
    const std::size_t all = max_under_way(lane);
    return is_tenant && all != unbounded ? std::max<std::size_t>(1, all / 2) : all;
}

request_budget::ticket request_budget::add(lane lane, const std::string& tenant) {
    const ticket out = last_ + 1;
    const auto added = places_.emplace(out, place{lane, tenant}).first;
    try {
        of(lane).tenants[tenant].waiting.insert(out);
    } catch (...) {
        places_.erase(added);
        throw;
    }
    return last_ = out;
}

std::optional<request_budget::ticket> request_budget::next(std::int64_t now_ms) {
    forget_lost(now_ms);
    for (std::size_t which = 0; which < lane_count; ++which) {
        if (const auto out = next_of(static_cast<lane>(which))) return out;
    }
    return std::nullopt;
}

void request_budget::forget_lost(std::int64_t now_ms) {
    for (auto at = under_way_.begin(); at != under_way_.end();) {
        const ticket each = *at++;
        if (now_ms >= places_.at(each).until_ms) end(each);
    }
}

// Returns the oldest request of the next tenant with a free place, starting after the tenant that was served last.
std::optional<request_budget::ticket> request_budget::next_of(lane lane) const {
    const lane_requests& its = of(lane);
    if (its.under_way >= max_under_way(lane)) return std::nullopt;
    auto at = its.tenants.upper_bound(its.last);
    for (std::size_t looked_at = 0; looked_at < its.tenants.size(); ++looked_at, ++at) {
        if (at == its.tenants.end()) at = its.tenants.begin();
        const auto& [tenant, requests] = *at;
        if (!requests.waiting.empty() && requests.under_way < max_of_tenant(lane, !tenant.empty()))
            return *requests.waiting.begin();
    }
    return std::nullopt;
}

// Allocates only for the copy of the name, before it changes anything.
void request_budget::begin(ticket sent) {
    place& its = places_.at(sent);
    lane_requests& lane = of(its.lane);
    tenant_requests& requests = lane.tenants.at(its.tenant);
    lane.last = its.tenant;
    under_way_.insert(requests.waiting.extract(sent));
    ++requests.under_way;
    ++lane.under_way;
    its.is_under_way = true;
}

void request_budget::put_back(ticket unsent) {
    place& its = places_.at(unsent);
    lane_requests& lane = of(its.lane);
    tenant_requests& requests = lane.tenants.at(its.tenant);
    requests.waiting.insert(under_way_.extract(unsent));
    --requests.under_way;
    --lane.under_way;
    its.is_under_way = false;
}

void request_budget::end(ticket gone) {
    const auto found = places_.find(gone);
    if (found == places_.end()) return;
    const place& its = found->second;
    lane_requests& lane = of(its.lane);
    const auto tenant = lane.tenants.find(its.tenant);
    if (its.is_under_way) {
        under_way_.erase(gone);
        --tenant->second.under_way;
        --lane.under_way;
    } else {
        tenant->second.waiting.erase(gone);
    }
    if (tenant->second.waiting.empty() && tenant->second.under_way == 0) lane.tenants.erase(tenant);
    places_.erase(found);
}

}  // namespace gputide::kubernetes
