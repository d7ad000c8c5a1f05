// Chooses the pool to grow, and distributes nodes over similar pools.
#pragma once

#include "nodes/node.hpp"
#include "nodes/options.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::nodes {

// Tells whether two pools are similar: equal names of capacities; memory within its ratio of the larger, every other capacity
// equal; allocatable, and the rest after daemons, within their ratios; labels equal, except hostname, zone, region and the
// labels that providers write.
bool are_similar(const node_shape& a, const node_shape& b, const options& how);

struct pool_size {
    std::int64_t size = 0;
    std::int64_t max = 0;
};

// Returns the pools' new sizes.  A pool at its maximum does not grow, and the total is limited to the remaining capacity.
// Each node goes to the pool that is smallest at that time; of equal pools to the one that was smaller at the start, then to
// the earlier one.
// Example: sizes 1, 3, 5, 5 and 4 more → 4, 4, 5, 5.
std::vector<std::int64_t> balanced_sizes(std::span<const pool_size> pools, std::int64_t more);

// Chooses the best options.  A chain applies filter after filter until one option is left.
// kubernetes/autoscaler expander/ (waste, mostpods, leastnodes, priority, price); gpu-waste, least-cost and fastest are
// gputide's own.

struct option {
    std::string pool;
    std::size_t number = 0;  // for the caller
    std::int64_t nodes = 0;
    std::int64_t pods = 0;                 // placed
    resource_list requested;               // by them, in total
    const node_shape* shape = nullptr;     // borrowed; nullptr: unknown template
    std::optional<double> price_per_hour;  // of one node
    std::optional<double> pods_price;      // of all placed pods for one hour
    std::optional<std::int64_t> delay_ms;
    bool exists = true;
};

struct preference {
    std::span<const priority_rule> priorities;  // borrowed; empty: the priority filter keeps all options
    std::int64_t preferred_cpu_milli = 1000;
    double stabilization_price = 0.0;  // price of a pod with 500 m and 500 MiB for one hour
};

std::optional<expander> parse_expander(std::string_view name);
std::span<const std::string_view> expander_names();  // in the order of expander

// Applies a chain.  The first filter always runs; the others run only while several options are left.
std::vector<option> run_chain(std::span<const expander> chain, std::vector<option> options, const preference& how);

// Returns the first option by pool id, if a chain leaves several: upstream chooses randomly, and a plan would not be
// reproducible.
const option* final_choice(std::span<const option> left);

// Returns score = sup × sub, twice that for a pool that does not exist yet; nothing if a price is unknown.
//   sub   = (node price × nodes + S) / (price of the pods + S), S the stabilization price
//   unfit = max(preferred cpu / node cpu, node cpu / preferred cpu)
//   sup   = (unfit − 1) × (1 − tanh((nodes − 1) / 15)) + 1; 1000 if the node has GPUs
// Worked: 2 nodes of 1 core at 20, pods for 30, S 10, 2 cores preferred: sub 50 / 40, sup 2 − tanh(1/15) → 2.41679.
std::optional<double> price_score(const option& option, const preference& how);

double unfitness(double preferred_cpu, double node_cpu);

// Returns the preferred cores for a cluster of that many nodes: ≤ 2: 1, ≤ 6: 2, ≤ 20: 4, ≤ 60: 8, ≤ 200: 16, more: 32.
// In millicores.
std::int64_t preferred_cpu_milli(std::int64_t cluster_nodes);

}  // namespace gputide::nodes
