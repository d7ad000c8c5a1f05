// A replay's replicas on nodes: each replica is a pod, pods that find no room make pools grow as gputide_nodes_plan says, new
// nodes come after their pool's delay, and nodes that nobody needs go.  What is paid then is nodes, not replicas.
#pragma once

#include "replay/nodes/costs.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gputided {

// How long a replica waits at most where no node is free: the longest delay_s of the pools of such a cluster as node_simulation
// takes.  Throws usage_error where it is none.
std::int64_t longest_delay_ms(const nlohmann::json& cluster);

class node_simulation {
  public:
    // cluster: {"pools":[…],"pod":{…},"options":{…}} in the words of docs/nodes.md; `pod` is what one replica asks for.  Throws
    // usage_error where it is none.  Time goes on in steps of step_ms.
    node_simulation(nlohmann::json cluster, std::int64_t step_ms);

    // One moment: replicas come or go, pods find places, and the plan of that moment is carried out.
    void step(std::int64_t now_ms, std::int64_t replicas);

    // With the same number of replicas nothing happens before this moment.
    std::int64_t next_ms() const { return next_ms_; }

    // Pays until then; the last call.
    void finish(std::int64_t now_ms) { pay(now_ms); }

    // {"pools":[{"id","most","node_hours","gpu_hours","cost"}],"node_hours",…,"changes":[{"time_ms","text"}],"warnings":["…"]}
    nlohmann::json report() const;

  private:
    struct pod {
        std::string node;  // "": it waits
        std::int64_t since_ms = 0;
    };
    struct node {
        std::string pool;
        std::int64_t created_ms = 0;
        std::int64_t ready_ms = 0;
    };
    using removals = std::map<std::string, std::vector<std::string>>;  // names by reason

    void pay(std::int64_t now_ms);
    void begin(std::int64_t now_ms);
    void add_nodes(const std::string& pool, std::int64_t count, std::int64_t now_ms, std::int64_t ready_ms);
    void resize(std::int64_t now_ms, std::int64_t replicas);
    nlohmann::json next_plan(std::int64_t now_ms);
    void note_warnings(const nlohmann::json& findings);
    nlohmann::json node_json(const std::string& name, const node& one, std::int64_t now_ms) const;
    void place(const nlohmann::json& plan, std::int64_t now_ms);
    void grow(const nlohmann::json& plan, std::int64_t now_ms);
    void shrink(const nlohmann::json& plan, std::int64_t now_ms);
    void remove_node(const nlohmann::json& planned, std::int64_t now_ms);
    void note_removals(const std::string& pool, const removals& removed, std::int64_t now_ms);
    std::int64_t size_of(const std::string& pool) const;
    std::int64_t waiting_pods() const;
    std::int64_t next_after(const nlohmann::json& plan, std::int64_t now_ms) const;
    void note_change(std::int64_t now_ms, const std::string& text);

    nlohmann::json cluster_;
    std::int64_t step_ms_;
    std::int64_t last_ms_ = 0;
    std::int64_t next_ms_ = 0;
    bool changed_ = false;  // by this step, so that the next one has something to do
    std::string state_;
    nlohmann::json events_ = nlohmann::json::array();  // for the next plan
    std::map<std::string, nlohmann::json> offers_;     // what a node of each pool has for pods, as the plan says it
    std::map<std::string, node> nodes_;
    std::vector<pod> pods_;
    std::int64_t created_ = 0;  // nodes so far, for their names
    node_costs costs_;
    double waiting_minutes_ = 0.0;
    double longest_minutes_ = 0.0;
    nlohmann::json changes_ = nlohmann::json::array();
    std::set<std::string> warnings_;
};

}  // namespace gputided
