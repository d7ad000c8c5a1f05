// Which request to the API server is sent next, and how many are under way.  Pure.
// Each lane has places of its own, so that the requests of one lane never wait for those of another; leases have no bound.  Within a lane
// the namespaces take turns, and one namespace has at most half of the places.
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

// In the order in which they are sent.
enum class lane {
    lease,
    write,   // of a scale; apart from the reads, as it is not sent once its time is over
    size,    // reads of a scale
    status,  // of ScaledObjects and ScaledJobs
    text,    // Secrets and ConfigMaps
    job,     // created, read and deleted Jobs
    event,
    list,  // pages of lists
    rest,  // discovery, finalizers, reviews of rights
};
inline constexpr std::size_t lane_count = 9;

// Returns the lane by the resource and verb that RBAC knows.  Worked: "deployments/scale", update → write;
// "pods", list → list.
lane lane_of(const kube::endpoint& target);
// Returns the namespace that the request is about; "": none.
std::string tenant_of(const kube::endpoint& target);
std::size_t max_under_way(lane lane);                  // in the whole lane
std::size_t max_of_tenant(lane lane, bool is_tenant);  // of these, of one namespace; of what has no namespace

class request_budget {
  public:
    using ticket = std::uint64_t;  // never 0

    ticket add(lane lane, const std::string& tenant);
    // The request that may be sent now.  A request that never ended loses its place.
    std::optional<ticket> next(std::int64_t now_ms);
    void begin(ticket sent);
    void put_back(ticket unsent);  // it could not be sent, and waits at its old place
    // until_ms: by then it has ended, or its end was lost for want of memory.
    void ends_until(ticket sent, std::int64_t until_ms) { places_.at(sent).until_ms = until_ms; }
    void end(ticket gone);  // it ended, or does not wait any more; an unknown ticket is ignored

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
        std::set<ticket> waiting;  // the oldest first
        std::size_t under_way = 0;
    };
    struct lane_requests {
        std::map<std::string, tenant_requests> tenants;
        std::string last;  // tenant that was sent a request of
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
