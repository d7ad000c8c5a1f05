// Rules of a pod about other pods on its node or in its zone: required pod affinity and anti-affinity, and topology spread
// with DoNotSchedule. kubernetes/kubernetes pkg/scheduler/framework/plugins interpodaffinity and podtopologyspread, their
// filters.
#pragma once

#include "nodes/fit.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gputide::nodes {

// Nodes with the pods on them, as far as these rules need them.  All kinds of pods must be added before the first node.
// Copies are independent, so that an estimate can add its own nodes.
class pod_topology {
  public:
    // Tells whether one of the pods has such a rule; otherwise no topology is needed.
    static bool has_rules(const pod& pod);

    // Adds a kind of pod; returns its number.  Equal kinds have the same number.  Borrowed.
    std::uint32_t add_kind(const pod& pod);

    // Adds a node; returns its index.  A node that does not exist yet has no name, and is a domain of its own for
    // kubernetes.io/hostname.
    std::uint32_t add_node(const node_shape& shape, std::string_view name);
    // Removes a node without pods.  Its domain no longer counts if no other node is in it.
    void remove_node(std::uint32_t node);
    // Takes back the last add_node(); no pod may be on the node.
    void drop_newest_node();
    std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

    // Tells whether other pods can prevent such a pod from using a node.
    bool restricts(std::uint32_t kind) const;
    // Returns the rule that prevents a pod from using a node; nothing: none.
    std::optional<misfit> against(std::uint32_t kind, std::uint32_t node) const;
    // Adds pods to a node; a negative count removes pods.
    void place(std::uint32_t kind, std::uint32_t node, std::int64_t count);

  private:
    static constexpr std::int32_t no_domain = -1;

    // Counts pods by domain of one key: the pods that match every term, or the pods that have the term.
    struct domain_counts {
        std::vector<const pod_term*> terms;
        std::uint32_t key = 0;
        bool owners = false;
        std::uint32_t spread_position = 0;  // in node_entry::counts_for; of a spread only
        const placement* spread = nullptr;  // counts only nodes that this pod may use, and also domains without pods
        const spread_rule* rule = nullptr;
        std::map<std::int32_t, std::int64_t> pods;          // by domain
        std::map<std::int32_t, std::int64_t> nodes;         // by domain; only for a spread
        std::map<std::int64_t, std::int64_t> domains_with;  // by number of pods; only for a spread
        std::int64_t total = 0;

        std::int64_t at(std::int32_t domain) const;
    };
    struct pod_kind {
        const pod* of = nullptr;
        std::vector<std::uint32_t> anti;      // counters that must be 0
        std::vector<std::uint32_t> affinity;  // counters that must not be 0
        std::vector<std::uint32_t> spreads;
        std::vector<std::uint32_t> owned;    // counters of the pod's own anti-affinity terms
        std::vector<std::uint32_t> matched;  // counters that count such a pod
        std::vector<std::uint32_t> refused;  // counters of other pods' anti-affinity terms that match such a pod
        bool matches_itself = false;         // the pod satisfies all of its own affinity terms
    };
    struct node_entry {
        std::vector<std::int32_t> domains;  // by key
        std::vector<bool> counts_for;       // by spread_position
    };

    std::uint32_t key_of(const std::string& name);
    std::uint32_t add_counter(domain_counts made);
    void join_counters(std::uint32_t kind);
    void join(pod_kind& kind, std::uint32_t number) const;
    void change(domain_counts& counter, std::int32_t domain, std::int64_t count);
    bool counts_on(const domain_counts& counter, const node_entry& entry) const;
    bool spread_counts_on(const domain_counts& counter, const node_shape& shape, const node_entry& entry,
                          std::string_view name) const;
    bool affinity_holds(const pod_kind& kind, const node_entry& entry) const;
    bool spread_holds(const pod_kind& kind, const domain_counts& counter, const node_entry& entry) const;

    std::vector<std::string> keys_;
    std::vector<domain_counts> counters_;
    std::vector<std::uint32_t> spreads_;  // of the counters
    // By a label that pods must have, so that only few kinds and counters are compared; "": those without such a label.
    std::unordered_map<std::string, std::vector<std::uint32_t>> counters_by_label_;
    std::unordered_map<std::string, std::vector<std::uint32_t>> kinds_by_label_;
    std::vector<pod_kind> kinds_;
    std::unordered_map<std::string, std::uint32_t> kind_numbers_;
    std::unordered_map<std::string, std::int32_t> domain_numbers_;
    std::vector<node_entry> nodes_;
};

// Tells whether a term selects a pod.
bool term_selects(const pod_term& term, const pod& pod);

}  // namespace gputide::nodes
