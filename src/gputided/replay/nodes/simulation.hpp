// Simulates nodes for a replay: each replica is a pod, pods without a node increase pools as gputide_nodes_plan says, new nodes
// are ready after their pool's delay, and unneeded nodes are removed.  Costs are costs of nodes, not of replicas.
#pragma once

#include "common/json.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gputided {

// Returns the longest delay_s of a cluster's pools, which is the maximum wait for a new node.  Throws usage_error if `cluster`
// has a different structure.
std::int64_t longest_delay_ms(const json& cluster);

// Runs the simulation with the replica counts of a replay's report.  cluster: see node_simulation.  Throws usage_error if
// `cluster` has a different structure, or if the report does not list all changes.
json nodes_of_replay(const json& report, json cluster);

std::string nodes_text(const json& nodes);

class node_simulation {
  public:
    // cluster: {"pools":[…],"pod":{…},"options":{…}} as in docs/nodes.md; `pod` has the requests of a replica.  Throws
    // usage_error if `cluster` has a different structure.  The time between steps is a multiple of step_ms.
    node_simulation(json cluster, std::int64_t step_ms);

    // Runs a step: changes the replicas, places pods, and carries out the plan for this time.
    void step(std::int64_t now_ms, std::int64_t replicas);

    // Returns the next time at which something happens with the same replica count.
    std::int64_t next_ms() const { return next_ms_; }

    // Adds the costs up to this time.  Must be the last call.
    void finish(std::int64_t now_ms) { add_costs(now_ms); }

    // Returns
    // {"pools":[{"id","most","node_hours","gpu_hours","cost"}],"node_hours",…,"changes":[{"time_ms","text"}],"warnings":["…"]}.
    json report() const;

  private:
    struct pod_state {
        std::string node;  // "": waiting
        std::int64_t since_ms = 0;
    };
    struct node_state {
        std::string pool;
        std::int64_t created_ms = 0;
        std::int64_t ready_ms = 0;
    };
    struct pool_sums {
        std::int64_t max_nodes = 0;
        double hours = 0.0;
        double gpu_hours = 0.0;
        double cost = 0.0;  // in the currency of price_per_hour
    };
    using removals = std::map<std::string, std::vector<std::string>>;  // names by reason

    void add_costs(std::int64_t now_ms);
    void begin(std::int64_t now_ms);
    void add_nodes(const std::string& pool, std::int64_t count, std::int64_t now_ms, std::int64_t ready_ms);
    void resize(std::int64_t now_ms, std::int64_t replicas);
    json next_plan(std::int64_t now_ms);
    void note_warnings(const json& findings);
    json node_json(const std::string& name, const node_state& here, std::int64_t now_ms) const;
    void place(const json& plan, std::int64_t now_ms);
    void grow(const json& plan, std::int64_t now_ms);
    void shrink(const json& plan, std::int64_t now_ms);
    void remove_node(const json& planned, std::int64_t now_ms);
    void note_removals(const std::string& pool, const removals& removed, std::int64_t now_ms);
    std::int64_t size_of(const std::string& pool) const;
    std::int64_t waiting_pods() const;
    std::int64_t next_after(const json& plan, std::int64_t now_ms) const;
    void note_change(std::int64_t now_ms, const std::string& text);

    json cluster_;
    std::int64_t step_ms_;
    std::int64_t last_ms_ = 0;
    std::int64_t next_ms_ = 0;
    bool changed_ = false;  // changed in this step, so the next step follows immediately
    std::string state_;
    json events_ = json::array();         // input of the next plan
    std::map<std::string, json> offers_;  // allocatable resources of a node, by pool, from the plan
    std::map<std::string, node_state> nodes_;
    std::vector<pod_state> pods_;
    std::int64_t created_ = 0;               // number of nodes created; for their names
    std::map<std::string, pool_sums> sums_;  // by pool
    double waiting_minutes_ = 0.0;
    double longest_minutes_ = 0.0;
    json changes_ = json::array();
    std::set<std::string> warnings_;
};

}  // namespace gputided
