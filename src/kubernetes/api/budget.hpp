// Decides which request to the API server is sent next, and how many are in progress.  Pure.
// Each lane has its own places, so that requests of one lane never wait for another lane; the Lease's lane is unlimited.  Within
// a lane the namespaces take turns, and one namespace gets at most half of the places.
#pragma once

#include "kube/endpoint.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace gputide::kubernetes {

// In order of priority.
enum class lane {
    lease,
    write,   // updates of a scale; separate from its reads, because a write is not sent after its timeout
    size,    // reads of a scale
    status,  // status of ScaledObjects and ScaledJobs
    text,    // Secrets, ConfigMaps and tokens of service accounts
    job,     // creating, reading and deleting Jobs
    event,
    list,  // pages of lists
    rest,  // discovery, finalizers, access reviews
};
inline constexpr std::size_t lane_count = 9;

// Returns the lane of a request, by resource and verb as in RBAC.  "deployments/scale", update → write; "pods", list → list.
lane lane_of(const kube::endpoint& target);
// Returns the namespace in the request's path; "" for a request without namespace.
std::string tenant_of(const kube::endpoint& target);
std::size_t max_under_way(lane lane);  // number of places in the lane
// Returns the number of places of one namespace in the lane; is_tenant false: of the requests without a namespace.
std::size_t max_of_tenant(lane lane, bool is_tenant);

class request_budget {
  public:
    using ticket = std::uint64_t;  // never 0

    ticket add(lane lane, const std::string& tenant);
    // Returns the request that may be sent now.  Frees the places of requests that never ended.
    std::optional<ticket> next(std::int64_t now_ms);
    void begin(ticket sent);
    void put_back(ticket unsent);  // the request could not be sent; it waits at its old position
    // Sets the time after which the request counts as ended, because its callback was lost for lack of memory.
    void ends_until(ticket sent, std::int64_t until_ms) { places_.at(sent).until_ms = until_ms; }
    void end(ticket gone);  // the request ended or was dropped; an unknown ticket is ignored

    std::size_t under_way(lane lane) const { return of(lane).under_way; }
    std::size_t waiting() const { return places_.size() - under_way_.size(); }

  private:
    struct place {
        kubernetes::lane lane = lane::rest;
        std::string tenant;
        std::int64_t until_ms = std::numeric_limits<std::int64_t>::max();
        bool is_under_way = false;
    };
    struct tenant_requests {
        std::set<ticket> waiting;  // oldest first
        std::size_t under_way = 0;
    };
    struct lane_requests {
        std::map<std::string, tenant_requests> tenants;
        std::string last;  // tenant of the last request that was sent
        std::size_t under_way = 0;
    };

    const lane_requests& of(lane lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
    lane_requests& of(lane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
    void forget_lost(std::int64_t now_ms);
    std::optional<ticket> next_of(lane lane) const;

    std::array<lane_requests, lane_count> lanes_;
    std::map<ticket, place> places_;
    std::set<ticket> under_way_;
    ticket last_ = 0;
};

}  // namespace gputide::kubernetes
