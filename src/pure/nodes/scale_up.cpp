#include "base/saturate.hpp"
#include "nodes/growth.hpp"
#include "nodes/passes.hpp"

#include <algorithm>

namespace gputide::nodes {
namespace {

// The scale-up of one plan, pass after pass.
class scale_up {
  public:
    scale_up(const planning& given, std::optional<pod_topology>& rules, scale_up_plan& out)
        : of_(given.of), how_(given.how), out_(out), sizes_(given), rules_(rules) {
        if (!rules_) return;
        added_bins_.emplace(&*rules_);
        for (const pod_group& group : of_.pending) added_bins_->add_demand(group.pod);
    }

    void run() {
        for (std::int64_t i = 0; i < how_.max_passes && anything_left(); ++i) {
            if (!one_pass()) break;
            if (rules_) fill_added();
        }
    }

  private:
    struct candidate {
        std::uint32_t pool = 0;
        std::vector<std::uint32_t> groups;  // groups that fit its template
        estimate estimated;
    };

    // A node of this plan, for pods that other pods kept from it until now.
    struct added_node {
        std::size_t pass = 0;
        std::size_t number = 0;  // in the pass
    };

    // Places pods on the nodes of earlier passes, as upstream does in its next loop: with a pod in each zone, each zone may
    // have one more.
    void fill_added() {
        bool any = true;
        while (any) {
            any = false;
            for (std::uint32_t group = 0; group < out_.groups.size(); ++group) {
                if (!wants_nodes(group)) continue;
                for (std::uint32_t bin = 0; bin < added_.size(); ++bin)
                    any = (wants_nodes(group) && fits_on(group, bin)) || any;
            }
        }
    }

    bool fits_on(std::uint32_t group, std::uint32_t bin) {
        if (of_.pending[group].pod.placement.claims != nullptr) return false;  // devices are not counted here
        if (added_bins_->place(group, bin, 1) != 1) return false;
        pass& pass = out_.passes[added_[bin].pass];
        pass.nodes[added_[bin].number].push_back({group, 1});
        const auto known =
            std::ranges::find_if(pass.placed, [&](const placed_group& each) { return each.group == group; });
        ++(known != pass.placed.end() ? *known : pass.placed.emplace_back(placed_group{group, 0})).count;
        ++out_.groups[group].on_new;
        --out_.groups[group].left;
        return true;
    }

    bool wants_nodes(std::uint32_t group) const {
        return out_.groups[group].left > 0 && out_.groups[group].held == waits_for::nothing;
    }
    bool anything_left() const {
        for (std::uint32_t i = 0; i < out_.groups.size(); ++i) {
            if (wants_nodes(i)) return true;
        }
        return false;
    }

    candidate look_at(std::uint32_t number) {
        candidate out;
        out.pool = number;
        const pool& pool = of_.pools[number];
        const std::uint32_t node = rules_ ? rules_->add_node(*pool.shape, {}) : 0;
        for (std::uint32_t i = 0; i < out_.groups.size(); ++i) {
            if (!wants_nodes(i)) continue;
            std::vector<reason> against = why_not_on_template(of_.pending[i].pod.placement, *pool.shape);
            if (rules_) {
                if (const std::optional<misfit> rule = rules_->against(kind_of(i), node))
                    against.push_back({*rule, {}});
            }
            out_.groups[i].undecided =
                out_.groups[i].undecided || std::ranges::any_of(against, [](const reason& reason) {
                    return reason.code == misfit::devices_undecided;
                });
            if (!against.empty()) {
                out_.groups[i].rejected.insert_or_assign(pool.id, std::move(against));
                continue;
            }
            out.groups.push_back(i);
        }
        if (rules_) rules_->drop_newest_node();
        return out;
    }

    std::uint32_t kind_of(std::uint32_t group) const { return rules_ ? added_bins_->pod_kind_of(group) : 0; }

    void estimate_for(candidate& offer) const {
        const pool& pool = of_.pools[offer.pool];
        std::vector<pod_count> counts;
        for (const std::uint32_t i : offer.groups)
            counts.push_back({&of_.pending[i].pod.placement, out_.groups[i].left, kind_of(i)});
        std::optional<pod_topology> rules = rules_;
        offer.estimated = estimate_nodes(counts, *pool.shape, order_for(*pool.shape, how_, out_.order),
                                         sizes_.node_limit(offer.pool), rules ? &*rules : nullptr);
        for (std::size_t i = 0; i < offer.groups.size(); ++i) {
            if (offer.estimated.undecided[i]) out_.groups[offer.groups[i]].undecided = true;
        }
    }

    option option_of(const candidate& from) const {
        const pool& pool = of_.pools[from.pool];
        option out;
        out.pool = pool.id;
        out.nodes = pool.all_or_zero ? pool.max : static_cast<std::int64_t>(from.estimated.nodes.size());
        out.pods = from.estimated.pods;
        for (std::size_t i = 0; i < from.groups.size(); ++i) {
            for (const resource& each : of_.pending[from.groups[i]].pod.placement.requests)
                out.requested.add(each.name, multiply_saturating(each.amount, from.estimated.by_group[i]));
        }
        out.shape = &*pool.shape;
        out.price_per_hour = pool.price_per_hour;
        if (how_.pod_prices) out.pods_price = price_of(out.requested);
        out.delay_ms = pool.delay_ms;
        out.exists = pool.exists;
        return out;
    }

    double price_of(const resource_list& requested) const {
        constexpr double gib = 1024.0 * 1024.0 * 1024.0;
        return how_.pod_prices->cpu_per_hour * static_cast<double>(requested.of(cpu_name)) / 1000.0 +
               how_.pod_prices->memory_gib_per_hour * static_cast<double>(requested.of(memory_name)) / gib +
               how_.pod_prices->gpu_per_hour * static_cast<double>(gpu_count(requested));
    }

    preference preferred() const {
        preference out;
        out.priorities = how_.priorities;
        out.preferred_cpu_milli = preferred_cpu_milli(sizes_.cluster_size());
        if (how_.pod_prices) {
            resource_list pod;
            pod.set(cpu_name, 500);
            pod.set(memory_name, 500LL << 20);
            out.stabilization_price = price_of(pod);
        }
        return out;
    }

    bool one_pass() {
        std::vector<candidate> candidates;
        for (std::uint32_t i = 0; i < of_.pools.size(); ++i) {
            out_.pools[i].skipped = sizes_.why_skipped(i);
            if (out_.pools[i].skipped.why != skip::none) continue;
            candidates.push_back(look_at(i));
            sizes_.set_fitting(i, candidates.back().groups);
        }
        for (candidate& offer : candidates) estimate_for(offer);
        std::erase_if(candidates, [&](const candidate& offer) {
            const bool too_many = how_.all_or_nothing && of_.pools[offer.pool].all_or_zero &&
                                  static_cast<std::int64_t>(offer.estimated.nodes.size()) > of_.pools[offer.pool].max;
            return offer.estimated.pods == 0 || too_many;
        });
        if (candidates.empty()) return false;
        std::vector<option> options;
        pass pass;
        for (const candidate& offer : candidates) {
            option& made = options.emplace_back(option_of(offer));
            made.number = pass.options.size();
            pass.options.push_back({offer.pool, made.nodes, made.pods, false});
        }
        const std::vector<option> left = run_chain(how_.expanders, std::move(options), preferred());
        for (const option& each : left) pass.options[each.number].survived = true;
        const option* const chosen = final_choice(left);
        const bool grown = chosen != nullptr && grow(candidates[chosen->number], pass);
        out_.passes.push_back(std::move(pass));
        return grown;
    }

    bool grow(const candidate& choice, pass& pass) {
        pass.pool = choice.pool;
        const auto estimated = static_cast<std::int64_t>(choice.estimated.nodes.size());
        const std::int64_t nodes = std::min(estimated, sizes_.headroom_in_bounds(choice.pool));
        if (how_.all_or_nothing && (nodes < estimated || !all_placed(choice))) {
            out_.pools[choice.pool].skipped = {skip::capped, {}};
            return false;
        }
        pass.increases = sizes_.add(choice.pool, nodes);
        for (const increase& each : pass.increases) out_.pools[each.pool].add += each.to - each.from;
        place_pods(choice, static_cast<std::size_t>(nodes), pass);
        return true;
    }

    bool all_placed(const candidate& choice) const {
        std::int64_t wanted = 0;
        for (std::uint32_t i = 0; i < out_.groups.size(); ++i) wanted += wants_nodes(i) ? out_.groups[i].left : 0;
        return choice.estimated.pods == wanted;
    }

    // Returns the pool of each new node: similar pools take turns, so that none of their zones gets all pods.
    static std::vector<std::uint32_t> pools_of(const std::vector<increase>& increases) {
        std::vector<std::uint32_t> out;
        bool any = true;
        for (std::int64_t turn = 0; any; ++turn) {
            any = false;
            for (const increase& grown : increases) {
                if (grown.to - grown.from <= turn) continue;
                out.push_back(grown.pool);
                any = true;
            }
        }
        return out;
    }

    // Adds a node of the next pass for pods that follow.
    void note_node(std::size_t number, std::uint32_t pool, const std::vector<placed_group>& pods) {
        const node_shape& shape = *of_.pools[pool].shape;
        occupied daemons;
        daemons.used = shape.daemon_requests;
        const std::uint32_t bin = added_bins_->add_bin(added_bins_->add_kind(shape), daemons);
        for (const placed_group& each : pods) added_bins_->put(each.group, bin, each.count);
        added_.push_back({out_.passes.size(), number});
    }

    void place_pods(const candidate& choice, std::size_t nodes, pass& pass) {
        std::map<std::uint32_t, std::int64_t> placed;
        const std::vector<std::uint32_t> pools = rules_ ? pools_of(pass.increases) : std::vector<std::uint32_t>();
        for (std::size_t i = 0; i < nodes; ++i) {
            std::vector<placed_group> on_node = choice.estimated.nodes[i];
            for (placed_group& each : on_node) {
                each.group = choice.groups[each.group];
                placed[each.group] += each.count;
            }
            if (rules_) note_node(i, i < pools.size() ? pools[i] : choice.pool, on_node);
            pass.nodes.push_back(std::move(on_node));
        }
        for (const auto& [group, pods] : placed) {
            pass.placed.push_back({group, pods});
            out_.groups[group].on_new += pods;
            out_.groups[group].left -= pods;
        }
    }

    const cluster& of_;
    const options& how_;
    scale_up_plan& out_;
    growth sizes_;
    std::optional<pod_topology>& rules_;
    std::optional<bins> added_bins_;  // the nodes of earlier passes; only with rules about pods
    std::vector<added_node> added_;   // of each bin
};

waits_for held_back(const pod& pod, const options& how, std::int64_t now_ms) {
    if (!pod.placement.unmodeled.empty()) return waits_for::unmodeled;
    if (pod.priority < how.priority_cutoff) return waits_for::priority;
    const std::int64_t delay_ms = std::max(pod.scale_up_delay_ms, how.new_pod_delay_ms);
    const bool young = delay_ms > 0 && pod.created_ms && add_saturating(*pod.created_ms, delay_ms) > now_ms;
    return young ? waits_for::delay : waits_for::nothing;
}

// A pass waits while the oldest pod that is left is younger than 2 s, or the oldest with a GPU younger than 30 s.
bool must_wait(const cluster& cluster, const std::vector<group_result>& groups, std::int64_t now_ms) {
    constexpr std::int64_t pod_wait_ms = 2'000;
    constexpr std::int64_t gpu_pod_wait_ms = 30'000;
    std::int64_t oldest_ms = INT64_MIN;  // none
    std::int64_t oldest_gpu_ms = INT64_MIN;
    const auto look_at = [](std::int64_t& oldest, std::int64_t created_ms) {
        if (oldest == INT64_MIN || created_ms < oldest) oldest = created_ms;
    };
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const pod& pod = cluster.pending[i].pod;
        if (groups[i].left == 0 || !pod.created_ms) continue;
        look_at(oldest_ms, *pod.created_ms);
        if (gpu_count(pod.placement.requests) > 0) look_at(oldest_gpu_ms, *pod.created_ms);
    }
    return add_saturating(oldest_ms, pod_wait_ms) > now_ms || add_saturating(oldest_gpu_ms, gpu_pod_wait_ms) > now_ms;
}

}  // namespace

void scale_up_in_order(const planning& given, const plan& known, scale_up_plan& out) {
    const cluster& cluster = given.of;
    const options& how = given.how;
    out.groups.resize(cluster.pending.size());
    for (std::size_t i = 0; i < cluster.pending.size(); ++i) {
        out.groups[i].left = cluster.pending[i].count;
        const bool is_left = out.gangs_left.contains(cluster.pending[i].pod.gang);
        out.groups[i].held = is_left ? waits_for::gang : held_back(cluster.pending[i].pod, how, given.now_ms);
    }
    std::optional<pod_topology> rules = topology_of(cluster.pending, cluster.nodes);
    place_on_existing(given, known, rules ? &*rules : nullptr, out);
    for (std::size_t i = 0; i < cluster.pending.size(); ++i) {
        if (!cluster.pending[i].pod.of_daemon_set()) continue;
        out.groups[i].left = 0;  // each waits for a node of its own, and no new one would help
        out.groups[i].held = waits_for::daemon_set;
    }
    const bool nothing_left =
        std::ranges::all_of(out.groups, [](const group_result& result) { return result.left == 0; });
    if (out.scale_up == verdict_of_pass::unhealthy) return;
    if (nothing_left) {
        out.scale_up = verdict_of_pass::nothing_pending;
    } else if (how.wait_for_new_pods && must_wait(cluster, out.groups, given.now_ms)) {
        out.scale_up = verdict_of_pass::too_new;
    } else {
        scale_up(given, rules, out).run();
    }
}

}  // namespace gputide::nodes
