#include "base/saturate.hpp"
#include "base/stable_order.hpp"
#include "nodes/passes.hpp"

#include <algorithm>

namespace gputide::nodes {
namespace {

class scale_down {
  public:
    scale_down(const planning& given, plan& out)
        : given_(given), out_(out), nodes_(with_expected_devices(given, out)) {}

    void run() {
        judge();
        simulate();
        remember();
        choose();
    }

  private:
    const pool* pool_of(std::uint32_t number) const {
        const std::uint32_t at = out_.nodes[number].pool;
        return at != no_pool ? &given_.of.pools[at] : nullptr;
    }

    void judge() {
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            const verdict verdict = verdict_of(i);
            out_.nodes[i].why = verdict.why == stay::no_reason ? why_no_candidate(i) : verdict.why;
            out_.nodes[i].utilization = verdict.utilization;
            if (out_.nodes[i].why == stay::no_reason) order_.push_back(i);
        }
    }

    verdict verdict_of(std::uint32_t number) const {
        const node& own = nodes_[number];
        if (pool_of(number) != nullptr) return eligibility_of(own, has_gpu_label(own.shape), given_.now_ms, given_.how);
        node without_pool;  // a node of an unknown pool has no pool
        without_pool.deleting = own.deleting;
        without_pool.keep = own.keep;
        return eligibility_of(without_pool, false, given_.now_ms, given_.how);
    }

    // A node of a pool at its minimum is not a candidate, so that pods of other nodes can move to it.
    stay why_no_candidate(std::uint32_t number) const {
        if (!is_simulated(given_.of, out_, number)) return stay::starting;
        const pool& own = *pool_of(number);
        if (own.size <= own.min) return stay::min_size_reached;
        if (is_recently_unremovable(nodes_[number].name)) return stay::recently_unremovable;
        return unmodeled_pod_of(nodes_[number]) != nullptr ? stay::unmodeled_pod : stay::no_reason;
    }

    // Empty ones first, among them those that no pod keeps until it ends; then those that were unneeded before.
    int rank_of(std::uint32_t number) const {
        bool waits = false;
        for (const pod& pod : nodes_[number].pods) {
            const moving moving = may_move(pod, given_.now_ms, given_.how, given_.of.budgets).moving;
            if (moving == moving::movable || moving == moving::blocked)
                return given_.before.unneeded_since_ms.contains(nodes_[number].name) ? 2 : 3;
            waits = waits || moving == moving::waits;
        }
        return waits ? 1 : 0;
    }

    // kubernetes/autoscaler core/scaledown/planner/planner.go: unneededNodesLimit.  Twice max-scale-down-parallelism more
    // than before, but no more than can go within the time that a node has to be unneeded.
    std::int64_t unneeded_limit() const {
        const std::int64_t parallel = given_.how.max_removals;
        const std::int64_t unneeded_ms = std::max<std::int64_t>(given_.how.unneeded_ms, 1);
        const std::int64_t interval_ms =
            std::clamp<std::int64_t>(subtract_saturating(given_.now_ms, given_.before.planned_ms), 1, unneeded_ms);
        const std::int64_t upper = add_saturating(multiply_saturating(parallel, unneeded_ms / interval_ms), parallel);
        const auto known = static_cast<std::int64_t>(given_.before.unneeded_since_ms.size());
        return std::min(upper, add_saturating(known, multiply_saturating(parallel, 2)));
    }

    // By rank; of one rank, the dearest node first.
    void sort_candidates() {
        struct place_in_order {
            int rank = 0;
            double price = 0.0;
        };
        std::vector<place_in_order> places(nodes_.size());
        for (const std::uint32_t number : order_) {
            places[number].rank = rank_of(number);
            if (!given_.how.strict) places[number].price = pool_of(number)->price_per_hour.value_or(0.0);
        }
        sort_stably(order_, [&](std::uint32_t a, std::uint32_t b) {
            return places[a].rank != places[b].rank ? places[a].rank < places[b].rank
                                                    : places[a].price > places[b].price;
        });
    }

    // Returns the disruption budgets after the moves that the plan counts on.
    disruption_budgets budgets_left() const {
        disruption_budgets out = given_.of.budgets;
        if (!out_.defragmentation.applied) return out;
        for (const move& each : out_.defragmentation.moves)
            change_budgets(out, given_.of.nodes[each.from].pods[each.pod], -1);
        return out;
    }

    void simulate() {
        if (order_.empty()) return;
        sort_candidates();
        std::vector<bool> takes_pods;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) takes_pods.push_back(is_simulated(given_.of, out_, i));
        removal_simulation simulation(nodes_.all(), takes_pods, given_.how, budgets_left(), given_.now_ms,
                                      topology_of(given_.of.pending, given_.of.nodes));
        const std::int64_t limit = unneeded_limit();
        std::int64_t unneeded = 0;
        for (const std::uint32_t number : order_) {
            node_result& result = out_.nodes[number];
            if (unneeded >= limit) {
                result.why = stay::too_many_candidates;
                continue;
            }
            result.removal = simulation.remove(number);
            result.why = result.removal->why;
            if (result.removal->may_go() && !pool_of(number)->all_or_zero) ++unneeded;
        }
    }

    bool is_recently_unremovable(const std::string& name) const {
        const auto found = given_.before.unremovable_since_ms.find(name);
        return found != given_.before.unremovable_since_ms.end() &&
               add_saturating(found->second, given_.how.recheck_ms) > given_.now_ms;
    }

    // The start time is kept as long as every plan finds the node unneeded.
    void remember() {
        std::map<std::string, std::int64_t> since;
        std::map<std::string, std::int64_t> unremovable;
        for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
            node_result& result = out_.nodes[number];
            const std::string& name = nodes_[number].name;
            if (result.why == stay::recently_unremovable) {
                unremovable[name] = given_.before.unremovable_since_ms[name];
            } else if (result.removal && !result.removal->may_go()) {
                unremovable[name] = given_.now_ms;
            } else if (result.removal) {
                const auto found = given_.before.unneeded_since_ms.find(name);
                since[name] = found != given_.before.unneeded_since_ms.end() ? found->second : given_.now_ms;
                result.unneeded_since_ms = since[name];
            }
        }
        given_.before.unneeded_since_ms = std::move(since);
        given_.before.unremovable_since_ms = std::move(unremovable);
    }

    bool keeps_minimum(std::uint32_t number) {
        for (const resource_bounds& bound : given_.how.bounds) {
            if (bound.min <= 0) continue;
            std::int64_t total = -removed_.of(bound.resource);
            for (const node* const node : nodes_.all())
                total = add_saturating(total, node->shape.capacity_or_allocatable().of(bound.resource));
            const std::int64_t own = nodes_[number].shape.capacity_or_allocatable().of(bound.resource);
            if (own > 0 && total - own < bound.min) return false;
        }
        return true;
    }

    void choose() {
        std::vector<std::int64_t> deletions(given_.of.pools.size(), 0);
        removals in_progress;
        for (const node_result& result : out_.nodes) {
            if (result.state != node_class::deleted) continue;
            if (result.pool != no_pool) ++deletions[result.pool];
            ++in_progress.empty;
        }
        const bool grows = std::ranges::any_of(out_.pools, [](const auto& entry) { return entry.add > 0; });
        out_.scale_down_paused_until_ms = paused_until(given_.before.past, given_.now_ms, given_.how);
        removals begun;
        for (const std::uint32_t number : order_) {
            node_result& result = out_.nodes[number];
            if (!result.removal || !result.removal->may_go()) continue;
            const pool& own = *pool_of(number);
            const bool ready = result.state == node_class::ready;
            result.removable_at_ms =
                add_saturating(*result.unneeded_since_ms, ready ? given_.how.unneeded_ms : given_.how.unready_ms);
            result.saves_per_hour = own.price_per_hour;
            result.why = why_stay(
                {ready, nodes_[number].keep, *result.unneeded_since_ms, own.min, own.size, deletions[result.pool]},
                given_.now_ms, given_.how);
            if (result.why != stay::no_reason) continue;
            if (!keeps_minimum(number)) {
                result.why = stay::minimal_resources;
            } else if (result.removal->waits) {
                result.why = stay::blocked_by_on_completion_pod;
            } else if (grows || out_.scale_down_paused_until_ms) {
                result.why = stay::paused;
            } else if (!begin(result.removal->empty, in_progress, begun)) {
                result.why = stay::parallelism;
            } else {
                ++deletions[result.pool];
                removed_.add(nodes_[number].shape.capacity_or_allocatable());
            }
        }
        for (std::uint32_t i = 0; i < given_.of.pools.size(); ++i) {
            if (given_.of.pools[i].all_or_zero) keep_whole(i);
        }
    }

    // kubernetes/autoscaler processors/nodes/scale_down_set_processor.go: such a pool loses all of its nodes or none.
    void keep_whole(std::uint32_t pool) {
        std::vector<node_result*> going;
        std::size_t registered = 0;
        for (node_result& result : out_.nodes) {
            if (result.pool != pool) continue;
            ++registered;
            if (result.why == stay::no_reason) going.push_back(&result);
        }
        const auto count = static_cast<std::int64_t>(going.size());
        if (count == given_.of.pools[pool].size || going.size() == registered) return;
        for (node_result* const result : going) result->why = stay::atomic_failed;
    }

    bool begin(bool empty, const removals& in_progress, removals& begun) const {
        const removals wanted{begun.empty + (empty ? 1 : 0), begun.drain + (empty ? 0 : 1)};
        if (within_budget(wanted, in_progress, given_.how) != wanted) return false;
        begun = wanted;
        return true;
    }

    const planning& given_;
    plan& out_;
    node_list nodes_;
    std::vector<std::uint32_t> order_;  // candidates, in the order of simulation
    resource_list removed_;
};

}  // namespace

void plan_scale_down(const planning& given, plan& out) { scale_down(given, out).run(); }

}  // namespace gputide::nodes
