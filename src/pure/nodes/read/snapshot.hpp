// The state of a cluster, read from one or several texts: pools, nodes, pods, budgets, settings.
#pragma once

#include "nodes/plan.hpp"
#include "nodes/read/devices.hpp"
#include "nodes/read/objects.hpp"
#include "text/report.hpp"

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gputide::nodes {

// Collects objects; rejected objects are left out and reported, all others are kept.
class snapshot {
  public:
    // Adds a text: gputide's format ({"pools":…,"nodes":…,"pods":…,"groups":…,"budgets":…,"events":…,"options":…}),
    // Kubernetes objects (one, a List, or YAML documents), or AKS' clusters and agent pools.
    void read(const std::string& file, std::string_view text, text::report& findings);

    // Returns the cluster: pods with their nodes, budgets with their pods, pending pods in groups, pools with their
    // templates.
    cluster finish(text::report& findings);

    options how;

    // An action of the host since the last plan, in the order of the texts:
    // {"kind":"added","pool":"gpu","nodes":2,"time_ms":…}.
    struct event {
        event_kind kind = event_kind::added;
        std::string pool;
        std::int64_t nodes = 0;
        std::optional<std::int64_t> time_ms;  // nothing: the time of the plan
    };
    std::vector<event> events;

  private:
    using positions = std::unordered_map<std::string, std::size_t>;  // by name

    void take_object(const value_reader& object);
    void take_kubernetes(const value_reader& object, const std::string& kind);
    void take_aks(const value_reader& cluster);
    // Read an object and add it; return false if it was not added.
    bool take_pool(const value_reader& reader, pool (*read_object)(const value_reader&));
    void take_node(const value_reader& reader, node (*read_object)(const value_reader&));
    bool take_pod(const value_reader& reader, placed_pod (*read_object)(const value_reader&));
    bool take_volume(const value_reader& object, const std::string& kind);
    void take_event(const value_reader& reader);
    void take_budgets(const value_reader& reader);
    void mark_nodes();
    void place_pods(cluster& out, std::vector<pod>& pending, text::report& findings);
    void add_workloads();
    void hold_buffered();
    void add_daemons(cluster& cluster) const;
    void find_volumes(placement& asks, const std::string& name_space) const;
    void give_claims();

    std::vector<pool> pools_;
    std::vector<node> nodes_;
    positions node_positions_;
    positions pool_positions_;
    positions pod_positions_;                      // by full name
    std::vector<std::size_t> pools_without_size_;  // indexes: their size is the number of listed nodes
    std::vector<placed_pod> pods_;
    std::vector<workload> workloads_;
    std::set<std::string> expected_owners_;  // of the workloads that stand for pods, by gang_objects::object_key()
    std::vector<workload> daemon_sets_;
    std::unordered_map<std::string, std::string> volume_claims_;  // by namespace and name: the volume
    std::unordered_map<std::string, std::vector<std::vector<affinity_term>>>
        volumes_;  // by name: where they can be used
    std::vector<pod_group> groups_;
    std::vector<node_pool> node_pools_;
    std::vector<node_bounds> node_bounds_;
    bool has_unused_ = false;  // an object was added that plans do not use
    device_objects devices_;
    gang_objects gangs_;
    std::vector<disruption_budget> kubernetes_budgets_;
    disruption_budgets budgets_;
};

}  // namespace gputide::nodes
