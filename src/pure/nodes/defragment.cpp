#include "base/stable_order.hpp"
#include "nodes/passes.hpp"

#include <algorithm>
#include <set>

namespace gputide::nodes {
namespace {

// Pods that share a new node, or a pod that has no place at all.
struct wanted_places {
    std::vector<std::uint32_t> groups;  // of each pod
    std::optional<saved_node> saves;    // nothing: no node
};

constexpr std::size_t max_pods_of_node = 16;       // beyond, a new node takes more pods than moves can place
constexpr std::size_t max_failures_in_a_row = 16;  // then the remaining ones are not tried
constexpr std::size_t max_nodes_to_free = 64;      // tried for a pod
constexpr std::int64_t max_pods_left_per_group = 8;

// Returns the pool that gets fewer nodes if one of a pass is not needed.
const increase* last_increase(const pass& pass, const std::vector<saved_node>& saved, std::size_t number) {
    const auto found = std::find_if(pass.increases.rbegin(), pass.increases.rend(), [&](const increase& each) {
        const auto fewer = std::ranges::count_if(
            saved, [&](const saved_node& node) { return node.pass == number && node.pool == each.pool; });
        return each.to - each.from > fewer;
    });
    return found != pass.increases.rend() ? &*found : nullptr;
}

class defragmenter {
  public:
    defragmenter(const planning& given, plan& out)
        : given_(given),
          of_(given.of),
          out_(out),
          budgets_(of_.budgets),
          nodes_(with_expected_devices(given, out)),
          about_pods_(topology_of(of_.pending, of_.nodes)),
          bins_(nodes_.all(), about_pods_ ? &*about_pods_ : nullptr, of_.pending),
          moved_(nodes_.size()) {
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            takes_pods_.push_back(is_simulated(of_, out_, i) && !goes_now(out_.nodes[i]) && !nodes_[i].deleting);
        // Places that pods of removable nodes move to are taken.
        for (const node_result& result : out_.nodes) {
            if (!goes_now(result)) continue;
            for (const move& each : result.removal->moves) {
                if (!goes_now(out_.nodes[each.to])) bins_.place(bins_.demand_of(each), each.to, 1);
            }
        }
    }

    void run(const std::vector<wanted_places>& all) {
        std::size_t failures = 0;
        std::set<std::uint32_t> without_place;  // groups that found none since the last change
        for (const wanted_places& wanted : all) {
            if (failures >= max_failures_in_a_row) return;
            const bool known =
                std::ranges::any_of(wanted.groups, [&](std::uint32_t group) { return without_place.contains(group); });
            if (known) continue;
            if (const std::optional<std::uint32_t> failed = find_places(wanted)) {
                without_place.insert(*failed);
                ++failures;
                continue;
            }
            failures = 0;
            without_place.clear();
            commit(wanted);
        }
    }

  private:
    struct step {
        bool is_move = false;  // else a pod that waits goes to moved.to
        std::uint32_t demand = 0;
        move moved;
    };

    // Returns the group that finds no place; nothing: all have one.
    std::optional<std::uint32_t> find_places(const wanted_places& wanted) {
        steps_.clear();
        for (const std::uint32_t group : wanted.groups) {
            if (place_directly(group) || place_by_moves(group)) continue;
            undo_to(0);
            return group;
        }
        const bool moves = std::ranges::any_of(steps_, [](const step& each) { return each.is_move; });
        if (moves || !out_.defragmentation.moves.empty()) return std::nullopt;
        undo_to(0);  // the plan has its own reasons not to use this place
        return wanted.groups.front();
    }

    bool place_on(std::uint32_t group, std::uint32_t node) {
        if (bins_.place(group, node, 1) != 1) return false;
        steps_.push_back({false, group, {0, 0, node}});
        return true;
    }

    bool place_directly(std::uint32_t group) {
        const std::uint32_t node = bins_.place_on_first(group, takes_pods_);
        if (node < nodes_.size()) steps_.push_back({false, group, {0, 0, node}});
        return node < nodes_.size();
    }

    // Frees the node first that lacks the fewest GPUs: it takes the fewest moves.
    bool place_by_moves(std::uint32_t group) {
        const placement& asks = of_.pending[group].pod.placement;
        std::vector<std::pair<std::int64_t, std::uint32_t>> candidates;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (!takes_pods_[i] || of_.nodes[i].pods.empty() || gpu_count(nodes_[i].shape.allocatable) == 0) continue;
            if (why_not(asks, nodes_[i].shape, {}, nodes_[i].name).empty())
                candidates.emplace_back(bins_.lacking_gpus(group, i), i);
        }
        sort_stably(candidates);
        if (candidates.size() > max_nodes_to_free) candidates.resize(max_nodes_to_free);
        return std::ranges::any_of(candidates,
                                   [&](const auto& candidate) { return free_and_place(group, candidate.second); });
    }

    bool free_and_place(std::uint32_t group, std::uint32_t node) {
        const std::size_t before = steps_.size();
        std::vector<std::uint32_t> movable = movable_pods(node);
        while (!place_on(group, node)) {
            const auto next = next_to_move(movable, node, bins_.lacking_gpus(group, node));
            if (next == movable.end()) {
                undo_to(before);
                return false;
            }
            const std::uint32_t pod = *next;
            movable.erase(next);
            move_away(node, pod);
        }
        return true;
    }

    // By the rules of scale-down.  Pods that wait come after the node's own, and are not there yet.
    std::vector<std::uint32_t> movable_pods(std::uint32_t node) const {
        std::vector<std::uint32_t> out;
        for (std::uint32_t i = 0; i < of_.nodes[node].pods.size(); ++i) {
            const pod& pod = nodes_[node].pods[i];
            const bool stays = pod.finished() || pod.deleted_ms || !pod.claims.empty() ||
                               pod.placement.claims != nullptr || !pod.placement.unmodeled.empty() ||
                               pod_topology::has_rules(pod) || moved_[node].contains(i);
            if (!stays && is_movable(pod)) out.push_back(i);
        }
        return out;
    }

    // Its budgets change with each move.
    bool is_movable(const pod& pod) const {
        return may_move(pod, given_.now_ms, given_.how, budgets_).moving == moving::movable;
    }

    // Returns the smallest pod that frees enough GPUs, else the one that frees most; if no GPU is lacking, the one with the
    // fewest.
    std::vector<std::uint32_t>::iterator next_to_move(std::vector<std::uint32_t>& movable, std::uint32_t node,
                                                      std::int64_t lacking) const {
        const auto gpus = [&](std::uint32_t pod) { return gpu_count(nodes_[node].pods[pod].placement.requests); };
        const auto is_better = [&](std::uint32_t a, std::uint32_t b) {
            const bool a_frees = gpus(a) >= lacking;
            const bool b_frees = gpus(b) >= lacking;
            if (a_frees != b_frees) return a_frees;
            return a_frees ? gpus(a) < gpus(b) : gpus(a) > gpus(b);
        };
        const auto best = std::min_element(movable.begin(), movable.end(), is_better);
        return best != movable.end() && lacking > 0 && gpus(*best) == 0 ? movable.end() : best;
    }

    // Moves a pod to the node that has the fewest free GPUs of those that it fits; without such a node it stays.
    void move_away(std::uint32_t from, std::uint32_t pod) {
        if (!is_movable(nodes_[from].pods[pod])) return;
        const std::uint32_t demand = bins_.demand_of({from, pod, 0});
        std::vector<std::pair<std::int64_t, std::uint32_t>> targets;
        for (std::uint32_t i = bins_.next_with_capacity(demand, 0); i < nodes_.size();
             i = bins_.next_with_capacity(demand, i + 1)) {
            if (takes_pods_[i] && i != from) targets.emplace_back(bins_.free_gpus(i), i);
        }
        sort_stably(targets);
        bins_.take_back(demand, from, 1);  // a moving pod does not count against itself
        for (const auto& [free, to] : targets) {
            if (bins_.place(demand, to, 1) != 1) continue;
            steps_.push_back({true, demand, {from, pod, to}});
            moved_[from].insert(pod);
            change_budgets(budgets_, nodes_[from].pods[pod], -1);
            return;
        }
        bins_.put(demand, from, 1);
    }

    void undo_to(std::size_t count) {
        for (; steps_.size() > count; steps_.pop_back()) {
            const step& last = steps_.back();
            bins_.take_back(last.demand, last.moved.to, 1);
            if (!last.is_move) continue;
            bins_.put(last.demand, last.moved.from, 1);
            moved_[last.moved.from].erase(last.moved.pod);
            change_budgets(budgets_, nodes_[last.moved.from].pods[last.moved.pod], 1);
        }
    }

    void commit(const wanted_places& wanted) {
        defragmentation& made = out_.defragmentation;
        for (const step& each : steps_) {
            if (each.is_move) {
                made.moves.push_back(each.moved);
            } else {
                made.places.push_back({each.demand, of_.nodes[each.moved.to].name, wanted.saves.has_value()});
            }
        }
        if (!wanted.saves) return;
        saved_node saved = *wanted.saves;
        if (const increase* const fewer = last_increase(out_.passes[saved.pass], made.saved, saved.pass))
            saved.pool = fewer->pool;
        const std::optional<double>& price = of_.pools[saved.pool].price_per_hour;
        made.prices_known = made.prices_known && price;
        made.saved_cost_per_hour += price.value_or(0.0);
        made.saved.push_back(saved);
    }

    const planning& given_;
    const cluster& of_;
    plan& out_;
    disruption_budgets budgets_;
    node_list nodes_;
    std::optional<pod_topology> about_pods_;
    node_bins bins_;
    std::vector<bool> takes_pods_;
    std::vector<std::set<std::uint32_t>> moved_;  // per node, of its pods
    std::vector<step> steps_;                     // of what is being tried
};

// Rules about other pods would have to know the new nodes, too.
bool new_pods_have_rules(const cluster& cluster, const plan& plan) {
    for (std::size_t i = 0; i < plan.groups.size(); ++i) {
        if (plan.groups[i].on_new > 0 && pod_topology::has_rules(cluster.pending[i].pod)) return true;
    }
    return false;
}

// Returns pods without a place by priority.
std::vector<wanted_places> pods_left(const cluster& cluster, const plan& plan) {
    std::vector<std::uint32_t> groups;
    for (std::uint32_t i = 0; i < plan.groups.size(); ++i) {
        const pod& pod = cluster.pending[i].pod;
        const bool waits = plan.groups[i].left > 0 && plan.groups[i].held == waits_for::nothing;
        if (waits && gpu_count(pod.placement.requests) > 0 && !pod_topology::has_rules(pod)) groups.push_back(i);
    }
    sort_stably(groups, [&](std::uint32_t a, std::uint32_t b) {
        return cluster.pending[a].pod.priority > cluster.pending[b].pod.priority;
    });
    std::vector<wanted_places> out;
    for (const std::uint32_t group : groups) {
        const std::int64_t pods = std::min(plan.groups[group].left, max_pods_left_per_group);
        out.insert(out.end(), static_cast<std::size_t>(pods), {{group}, {}});
    }
    return out;
}

// Returns the pods of each new node with GPUs, of the dearest first.
std::vector<wanted_places> pods_of_new_nodes(const cluster& cluster, const plan& plan) {
    std::vector<std::pair<double, wanted_places>> found;
    for (std::size_t number = 0; number < plan.passes.size(); ++number) {
        const pass& pass = plan.passes[number];
        if (pass.pool == no_pool) continue;
        const pool& pool = cluster.pools[pass.pool];
        if (!pool.shape || pool.all_or_zero || gpu_count(pool.shape->allocatable) == 0) continue;
        for (std::size_t node = 0; node < pass.nodes.size(); ++node) {
            wanted_places wanted;
            for (const placed_group& each : pass.nodes[node]) {
                const std::int64_t pods = std::min<std::int64_t>(each.count, max_pods_of_node + 1);
                wanted.groups.insert(wanted.groups.end(), static_cast<std::size_t>(pods), each.group);
            }
            if (wanted.groups.size() > max_pods_of_node) continue;
            wanted.saves = saved_node{number, node, pass.pool};
            found.emplace_back(pool.price_per_hour.value_or(0.0), std::move(wanted));
        }
    }
    sort_stably(found, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<wanted_places> out;
    for (auto& [price, wanted] : found) out.push_back(std::move(wanted));
    return out;
}

void take_back_node(const saved_node& saved, plan& out) {
    pass& from = out.passes[saved.pass];
    for (const placed_group& each : from.nodes[saved.number]) {
        out.groups[each.group].on_new -= each.count;
        out.groups[each.group].on_existing += each.count;
        for (placed_group& placed : from.placed) {
            if (placed.group == each.group) placed.count -= each.count;
        }
    }
    from.nodes.erase(from.nodes.begin() + static_cast<std::ptrdiff_t>(saved.number));
    for (std::size_t i = saved.pass; i < out.passes.size(); ++i) {
        for (increase& each : out.passes[i].increases) {
            if (each.pool != saved.pool) continue;
            --each.to;
            if (i > saved.pass) --each.from;
        }
    }
    --out.pools[saved.pool].add;
}

}  // namespace

void find_defragmentation(const planning& given, plan& out) {
    const cluster& cluster = given.of;
    if (out.scale_up != verdict_of_pass::done || new_pods_have_rules(cluster, out)) return;
    std::vector<wanted_places> all = pods_left(cluster, out);
    for (wanted_places& wanted : pods_of_new_nodes(cluster, out)) all.push_back(std::move(wanted));
    const bool any_running = std::ranges::any_of(
        cluster.nodes, [](const node& node) { return !node.pods.empty() && gpu_count(node.shape.allocatable) > 0; });
    if (!all.empty() && any_running) defragmenter(given, out).run(all);
}

void apply_defragmentation(plan& out) {
    defragmentation& made = out.defragmentation;
    made.applied = true;
    sort_stably(made.saved, [](const saved_node& a, const saved_node& b) {
        return a.pass != b.pass ? a.pass > b.pass : a.number > b.number;
    });
    for (const saved_node& saved : made.saved) take_back_node(saved, out);
    for (const place_after_moves& place : made.places) {
        group_result& group = out.groups[place.group];
        ++group.on_nodes[place.node];
        if (place.instead_of_new) continue;
        --group.left;
        ++group.on_existing;
    }
    for (pass& pass : out.passes) {
        std::erase_if(pass.placed, [](const placed_group& placed) { return placed.count == 0; });
        std::erase_if(pass.increases, [](const increase& each) { return each.from == each.to; });
    }
    std::erase_if(out.passes, [](const pass& pass) { return pass.nodes.empty() && pass.pool != no_pool; });
}

}  // namespace gputide::nodes
