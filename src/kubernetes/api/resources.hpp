// Maps a scaleTargetRef to its API resource: group and kind to version and plural name, by API discovery.  Deployments,
// StatefulSets and ReplicaSets need no discovery.  The plural of a custom resource is never guessed.
#pragma once

#include "base/callback.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

// Returns a resource with known names, without discovery. group "": the core API.
resource known_resource(std::string_view group, std::string_view version, std::string_view plural);
inline resource kedas(std::string_view plural) { return known_resource("keda.sh", "v1alpha1", plural); }

// Returns the endpoint that lists the kinds of a version; kube::group_versions() lists the versions.
endpoint discovery_at(std::string_view group, std::string version);

// Finds a kind in a group's APIResourceList.  Returns not_found if it has no scale subresource.  Pure.
result<resource> find_resource(const http::answer& answer, const endpoint& endpoint, const std::string& kind);

// Returns the preferredVersion of an API group.  Pure.
result<std::string> preferred_version(const http::answer& answer, const endpoint& endpoint);

class resource_finder : public std::enable_shared_from_this<resource_finder> {
  public:
    explicit resource_finder(std::shared_ptr<api> api) : api_(std::move(api)) {}

    // Calls `done` immediately if the result is cached, otherwise later.  A failure is cached for a minute.
    using taker = callback<void(const result<resource>&)>;
    void find(const std::string& api_version, const std::string& kind, taker done);
    // Tells whether a discovery of that kind is in progress.
    bool is_finding(const std::string& api_version, const std::string& kind) const;

  private:
    struct discovery {
        std::optional<result<resource>> found;  // empty: not known yet
        std::int64_t at_ms = 0;                 // steady clock
        std::vector<taker> takers;
        std::shared_ptr<api_exchange> request;  // in progress, or lost after a failed allocation
    };
    using group_kind = std::pair<std::string, std::string>;

    bool is_under_way(const discovery& discovery) const;
    void discover_group(const group_kind& wanted);
    void discover_version(const group_kind& wanted, const std::string& version);
    void conclude(const group_kind& wanted, const result<resource>& resource);

    const std::shared_ptr<api> api_;
    std::map<group_kind, discovery> kinds_;
};

}  // namespace gputide::kubernetes
