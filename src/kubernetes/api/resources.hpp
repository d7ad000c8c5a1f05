// From what a scaleTargetRef says to where it lies: group and kind → plural resource and version, as the server's discovery
// tells.  Deployments and StatefulSets are known without asking; no plural of a custom resource is ever guessed.
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/api/objects.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::kubernetes {

struct resource {
    std::string group;
    std::string version;
    std::string kind;
    std::string plural;
    bool has_usual_size = false;  // spec.replicas, status.replicas and .readyReplicas, as apps/v1 has them

    // name_space "": of all namespaces; selector: of labels, "" for all.
    endpoint collection(const std::string& name_space, const std::string& selector = {}) const;
    endpoint object(const object_key& key, const std::string& verb, const std::string& subresource = {}) const;
    endpoint scale(const object_key& key, const std::string& verb) const { return object(key, verb, "scale"); }
    std::string text() const { return group.empty() ? plural : plural + "." + group; }  // "deployments.apps"
};

// One that is known without asking; group "": the core's.
resource known_resource(std::string_view group, std::string_view version, std::string_view plural);
inline resource kedas(std::string_view plural) { return known_resource("keda.sh", "v1alpha1", plural); }

// Finds a kind in a group's resource list; not_found: no resource with a scale.  Pure.
result<resource> find_resource(const http::answer& answer, const endpoint& endpoint, const std::string& kind);

// The version that the server prefers of a group.  Pure.
result<std::string> preferred_version(const http::answer& answer, const endpoint& endpoint);

class resource_finder : public std::enable_shared_from_this<resource_finder> {
  public:
    explicit resource_finder(std::shared_ptr<const api> api) : api_(std::move(api)) {}

    // `done` runs at once where the answer is known, later else.  What was not found is asked for again after most a minute.
    using taker = std::function<void(const result<resource>&)>;
    void find(const std::string& api_version, const std::string& kind, taker done);
    // Whether a taker of that kind still waits for its answer.
    bool is_finding(const std::string& api_version, const std::string& kind) const;

  private:
    struct known {
        result<resource> found;
        std::int64_t at_ms = 0;
    };
    struct discovery {
        std::vector<taker> takers;
        std::shared_ptr<api_exchange> request;  // pending, unless an exhausted memory has cut it off
    };
    using group_kind = std::pair<std::string, std::string>;

    bool is_under_way(const discovery& discovery) const;
    void discover_group(const group_kind& wanted);
    void discover_version(const group_kind& wanted, const std::string& version);
    void conclude(const group_kind& wanted, const result<resource>& resource);

    const std::shared_ptr<const api> api_;
    std::map<group_kind, known> known_;
    std::map<group_kind, discovery> waiting_;
};

}  // namespace gputide::kubernetes
