// Nodes as bins, optimized for speed: resource names become indexes, placement rules are evaluated once per kind of pod and
// kind of node, and equal pods are placed by a division instead of individually.  The results equal those of fit.hpp.
#pragma once

#include "nodes/affinity.hpp"
#include "nodes/dra/device.hpp"
#include "nodes/fit.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gputide::nodes {

// Arguments are borrowed for the lifetime of the bins.  All demands must be added before the first bin.
class bins {
  public:
    // rules: the pods' rules about other pods, with the nodes that precede the bins; nullptr: none.  Borrowed; each bin is
    // added.
    explicit bins(pod_topology* rules = nullptr) : rules_about_pods_(rules), first_node_(rules ? rules->size() : 0) {}

    // Adds a kind of pod; returns its number.  kind: its number in the rules about pods.
    std::uint32_t add_demand(const placement& asks, std::uint32_t kind = 0);
    std::uint32_t add_demand(const pod& pod) {
        return add_demand(pod.placement, rules_about_pods_ != nullptr ? rules_about_pods_->add_kind(pod) : 0);
    }
    std::uint32_t pod_kind_of(std::uint32_t demand) const { return demands_[demand].kind; }
    // Adds a kind of node; returns its number.  name: of an existing node, for rules about metadata.name; empty for a node to
    // add.
    std::uint32_t add_kind(const node_shape& shape, std::string_view name = {});
    // Adds a bin of that kind with the used resources; returns its index.
    std::uint32_t add_bin(std::uint32_t kind, const occupied& taken);

    std::size_t size() const { return kind_of_.size(); }
    bool is_empty(std::uint32_t bin) const { return placed_[bin] == 0; }
    // Returns true if it is unknown whether a bin has the devices that the pods claim.
    bool is_undecided(std::uint32_t demand) const {
        return demands_[demand].asks->claims != nullptr && devices_.is_undecided(demands_[demand].claims);
    }

    // Returns the first bin from `from` on that has the amounts for one such pod; size() if there is none.  Other rules may still
    // keep the pod from it.
    std::uint32_t next_with_capacity(std::uint32_t demand, std::uint32_t from) const;

    // Places up to `max_pods` equal pods; returns the number of placed pods.
    std::int64_t place(std::uint32_t demand, std::uint32_t bin, std::int64_t max_pods);
    void take_back(std::uint32_t demand, std::uint32_t bin, std::int64_t count);
    // Adds pods that are known to fit, without devices for claims.
    void put(std::uint32_t demand, std::uint32_t bin, std::int64_t count);

    std::int64_t free_gpus(std::uint32_t bin) const;
    // Returns how many GPUs more the bin would have to have for one such pod.
    std::int64_t lacking_gpus(std::uint32_t demand, std::uint32_t bin) const;

    // Tells whether devices are allocated to such a pod with an error on a bin that it fits otherwise.  The scheduler then
    // places it nowhere.
    bool is_error(std::uint32_t demand);
    bool can_err(std::uint32_t demand);  // on any bin, whatever else is allocated

  private:
    struct demanded {
        std::vector<std::pair<std::uint32_t, std::int64_t>>
            amounts;  // amounts above 0 by index; GPUs first, because they are missing most often
        std::uint32_t rules = 0;
        std::uint32_t kind = 0;    // of pod, in the rules about pods
        std::uint32_t claims = 0;  // in devices_, if it claims any
        std::int64_t min_devices = 0;
        const placement* asks = nullptr;
    };
    struct named_shape {
        const node_shape* shape = nullptr;
        std::string name;
    };

    std::uint32_t position_of(const std::string& name);
    std::uint32_t rules_of(const placement& asks);
    bool may_go(std::uint32_t rules, std::uint32_t kind);
    std::int64_t capacity_for(const demanded& demand, std::uint32_t bin) const;
    // Takes amounts of a bin, or with a negative count gives them back.
    void take_amounts(const demanded& demand, std::uint32_t bin, std::int64_t count);
    bool block_may_fit(const demanded& demand, std::uint32_t block) const;
    // Adds pods to the node of a bin one by one, as far as rules about other pods allow; returns how many.
    std::int64_t place_by_rules(std::uint32_t kind, std::uint32_t bin, std::int64_t max_pods);

    pod_topology* rules_about_pods_;
    std::uint32_t first_node_;
    std::unordered_map<std::string, std::uint32_t> positions_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> gpus_;  // indexes of the names that are GPUs
    std::vector<demanded> demands_;
    std::unordered_map<std::string, std::uint32_t> rule_numbers_;
    std::vector<const placement*> rules_;
    std::vector<named_shape> kinds_;
    std::vector<std::vector<std::int8_t>> allowed_;  // [rules][kind]: -1 not evaluated, 0 no, 1 yes
    std::vector<std::uint32_t> kind_of_;
    std::vector<std::int64_t> placed_;
    std::vector<std::int64_t> free_;      // [bin][index]
    std::vector<std::int64_t> max_free_;  // [block of bins][index]: what any of its bins has
    std::vector<std::vector<host_port>> ports_;
    device_bins devices_;
    bool has_claims_ = false;
};

}  // namespace gputide::nodes
