#include "nodes/scale_up.hpp"

#include "nodes/existing.hpp"
#include "nodes/limits.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace gputide::nodes {
namespace {

// One plan's scale-up, pass after pass.
class scale_up {
  public:
    scale_up(const cluster& of, const options& how, std::int64_t now_ms, const state& before, plan& out)
        : of_(of), how_(how), now_ms_(now_ms), before_(before), out_(out) {
        for (const pool& one : of.pools) sizes_.push_back(one.size);
        foreign_nodes_ =
            std::count_if(of.nodes.begin(), of.nodes.end(), [](const node& one) { return one.pool.empty(); });
    }

    void run() {
        for (std::int64_t i = 0; i < how_.max_passes && anything_left(); ++i) {
            if (!one_pass()) break;
        }
    }

  private:
    struct candidate {
        std::size_t pool = 0;
        std::vector<std::uint32_t> groups;  // those that its template takes
        estimate estimated;
    };

    bool wants_nodes(std::uint32_t group) const {
        return out_.groups[group].left > 0 && out_.groups[group].held == waits_for::nothing;
    }
    bool anything_left() const {
        for (std::uint32_t i = 0; i < out_.groups.size(); ++i) {
            if (wants_nodes(i)) return true;
        }
        return false;
    }

    std::int64_t cluster_size() const { return std::accumulate(sizes_.begin(), sizes_.end(), foreign_nodes_); }

    // Of the whole cluster with what this plan adds.
    std::int64_t total_of(const std::string& resource_name) const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < of_.pools.size(); ++i) {
            if (!of_.pools[i].shape) continue;
            const std::int64_t each = of_.pools[i].shape->capacity_or_allocatable().of(resource_name);
            sum = add_saturated(sum, multiply_saturated(each, sizes_[i]));
        }
        for (const node& one : of_.nodes) {
            if (one.pool.empty()) sum = add_saturated(sum, one.shape.capacity_or_allocatable().of(resource_name));
        }
        return sum;
    }

    // The most nodes of that pool that every bound leaves room for; which bounds stand against the next one.
    std::int64_t room_in_bounds(const pool& one, std::string& exceeded) const {
        std::int64_t room = std::numeric_limits<std::int64_t>::max();
        for (const resource_bounds& bound : how_.bounds) {
            const std::int64_t each = one.shape->capacity_or_allocatable().of(bound.resource);
            if (!bound.max || each <= 0) continue;
            const std::int64_t left = std::max<std::int64_t>(0, add_saturated(*bound.max, -total_of(bound.resource)));
            room = std::min(room, left / each);
            if (left / each == 0) exceeded += (exceeded.empty() ? "" : ", ") + bound.resource;
        }
        return room;
    }

    skipped_pool why_skipped(std::size_t number) const {
        const pool& one = of_.pools[number];
        if (one.backed_off || is_backed_off(before_.backoff, one.id, now_ms_)) return {skip::backed_off, {}};
        if (one.unhealthy) return {skip::unhealthy, {}};
        if (sizes_[number] >= one.max) return {skip::at_max, {}};
        const std::int64_t room = cluster_room(how_.max_nodes_total, cluster_size());
        if (one.all_or_zero && (room < 0 || (room > 0 && one.max - sizes_[number] > room)))
            return {skip::all_or_zero_above_cap, {}};
        if (!one.shape) return {skip::no_template, {}};
        std::string exceeded;
        if (room_in_bounds(one, exceeded) == 0) return {skip::quota, exceeded};
        if (room < 0) return {skip::cluster_full, {}};
        return {};
    }

    // Pools like this one that could grow as well, itself first.
    std::vector<std::size_t> with_similar(std::size_t number) const {
        std::vector<std::size_t> out{number};
        if (!how_.balance_similar || of_.pools[number].all_or_zero) return out;
        for (std::size_t i = 0; i < of_.pools.size(); ++i) {
            const bool can_grow = i != number && !of_.pools[i].all_or_zero && why_skipped(i).why == skip::none;
            if (can_grow && are_similar(*of_.pools[number].shape, *of_.pools[i].shape, how_.similarity))
                out.push_back(i);
        }
        return out;
    }

    std::int64_t node_limit(std::size_t number) const {
        const pool& own = of_.pools[number];
        std::vector<pool_size> similar;
        for (const std::size_t i : with_similar(number)) {
            if (i != number) similar.push_back({sizes_[i], of_.pools[i].max});
        }
        const std::vector<std::int64_t> thresholds{how_.max_nodes_per_scale_up,
                                                   pool_room({sizes_[number], own.max}, similar),
                                                   cluster_room(how_.max_nodes_total, cluster_size())};
        return combine_limits(thresholds);
    }

    candidate look_at(std::size_t number) {
        candidate out;
        out.pool = number;
        const pool& one = of_.pools[number];
        std::vector<pod_count> counts;
        for (std::uint32_t i = 0; i < out_.groups.size(); ++i) {
            if (!wants_nodes(i)) continue;
            std::vector<reason> against = why_not_on_template(of_.pending[i].pod.placement, *one.shape);
            if (!against.empty()) {
                out_.groups[i].rejected.insert_or_assign(one.id, std::move(against));
                continue;
            }
            out.groups.push_back(i);
            counts.push_back({&of_.pending[i].pod.placement, out_.groups[i].left});
        }
        out.estimated = estimate_nodes(counts, *one.shape, order_for(*one.shape, how_), node_limit(number));
        return out;
    }

    option option_of(const candidate& from) const {
        const pool& one = of_.pools[from.pool];
        option out;
        out.pool = one.id;
        out.nodes = static_cast<std::int64_t>(from.estimated.nodes.size());
        out.pods = from.estimated.pods;
        for (std::size_t i = 0; i < from.groups.size(); ++i) {
            for (const resource& each : of_.pending[from.groups[i]].pod.placement.requests)
                out.requested.add(each.name, multiply_saturated(each.amount, from.estimated.by_group[i]));
        }
        out.shape = &*one.shape;
        out.price_per_hour = one.price_per_hour;
        if (how_.pod_prices) out.pods_price = price_of(out.requested);
        out.delay_ms = one.delay_ms;
        out.exists = one.exists;
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
        out.preferred_cpu_milli = preferred_cpu_milli(cluster_size());
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
        std::vector<option> options;
        for (std::size_t i = 0; i < of_.pools.size(); ++i) {
            out_.pools[i].skipped = why_skipped(i);
            if (out_.pools[i].skipped.why != skip::none) continue;
            candidate one = look_at(i);
            if (one.estimated.pods == 0) continue;
            options.push_back(option_of(one));
            candidates.push_back(std::move(one));
        }
        if (options.empty()) return false;
        pass made;
        for (const option& one : options) made.options.push_back({one.pool, one.nodes, one.pods, false});
        const std::vector<option> left = run_chain(how_.expanders, options, preferred());
        for (considered& one : made.options) {
            one.survived =
                std::any_of(left.begin(), left.end(), [&](const option& each) { return each.pool == one.pool; });
        }
        const option* const chosen = final_choice(left);
        bool grown = false;
        if (chosen != nullptr) {
            const auto at = std::find_if(candidates.begin(), candidates.end(),
                                         [&](const candidate& one) { return of_.pools[one.pool].id == chosen->pool; });
            grown = grow(*at, made);
        }
        out_.passes.push_back(std::move(made));
        return grown;
    }

    bool grow(const candidate& by, pass& made) {
        const pool& one = of_.pools[by.pool];
        made.pool = one.id;
        const auto estimated = static_cast<std::int64_t>(by.estimated.nodes.size());
        std::string exceeded;
        const std::int64_t nodes = std::min(estimated, room_in_bounds(one, exceeded));
        if (how_.all_or_nothing && (nodes < estimated || !all_placed(by))) {
            out_.pools[by.pool].skipped = {skip::capped, {}};
            return false;
        }
        increase_pools(by.pool, nodes, made);
        place_pods(by, static_cast<std::size_t>(nodes), made);
        return true;
    }

    bool all_placed(const candidate& by) const {
        std::int64_t wanted = 0;
        for (std::uint32_t i = 0; i < out_.groups.size(); ++i) wanted += wants_nodes(i) ? out_.groups[i].left : 0;
        return by.estimated.pods == wanted;
    }

    void increase_pools(std::size_t number, std::int64_t nodes, pass& made) {
        const std::vector<std::size_t> pools = with_similar(number);
        std::vector<balanced_pool> shares;
        for (const std::size_t i : pools) shares.push_back({of_.pools[i].id, sizes_[i], of_.pools[i].max});
        const bool whole = of_.pools[number].all_or_zero;
        const std::vector<std::int64_t> sizes = balanced_sizes(shares, whole ? shares[0].max - shares[0].size : nodes);
        for (std::size_t k = 0; k < pools.size(); ++k) {
            const std::int64_t more = sizes[k] - sizes_[pools[k]];
            if (more == 0) continue;
            made.increases.push_back({shares[k].id, sizes_[pools[k]], sizes[k]});
            sizes_[pools[k]] = sizes[k];
            out_.pools[pools[k]].add += more;
        }
    }

    void place_pods(const candidate& by, std::size_t nodes, pass& made) {
        std::map<std::uint32_t, std::int64_t> placed;
        for (std::size_t i = 0; i < nodes; ++i) {
            std::vector<placed_group> on_node = by.estimated.nodes[i];
            for (placed_group& one : on_node) {
                one.group = by.groups[one.group];
                placed[one.group] += one.count;
            }
            made.nodes.push_back(std::move(on_node));
        }
        for (const auto& [group, pods] : placed) {
            made.placed.push_back({group, pods});
            out_.groups[group].on_new += pods;
            out_.groups[group].left -= pods;
        }
    }

    const cluster& of_;
    const options& how_;
    std::int64_t now_ms_;
    const state& before_;
    plan& out_;
    std::vector<std::int64_t> sizes_;  // with what the passes so far add
    std::int64_t foreign_nodes_ = 0;
};

waits_for held_back(const pod& one, const options& how, std::int64_t now_ms) {
    if (one.priority < how.priority_cutoff) return waits_for::priority;
    const std::int64_t delay_ms = std::max(one.scale_up_delay_ms, how.new_pod_delay_ms);
    const bool young = delay_ms > 0 && one.created_ms && add_saturated(*one.created_ms, delay_ms) > now_ms;
    return young ? waits_for::delay : waits_for::nothing;
}

bool must_wait(const cluster& of, const std::vector<group_result>& groups, std::int64_t now_ms) {
    std::vector<pod_age> ages;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const pod& one = of.pending[i].pod;
        if (groups[i].left == 0 || !one.created_ms) continue;
        ages.push_back({*one.created_ms, gpu_count(one.placement.requests) > 0});
    }
    return are_too_new(ages, now_ms);
}

}  // namespace

void plan_scale_up(const cluster& of, const options& how, std::int64_t now_ms, const state& before, plan& out) {
    out.groups.resize(of.pending.size());
    for (std::size_t i = 0; i < of.pending.size(); ++i) {
        out.groups[i].left = of.pending[i].count;
        out.groups[i].held = held_back(of.pending[i].pod, how, now_ms);
    }
    place_on_existing(of, how, out, out.groups);
    const bool nothing_left =
        std::all_of(out.groups.begin(), out.groups.end(), [](const group_result& one) { return one.left == 0; });
    if (out.scale_up == verdict_of_pass::unhealthy) return;
    if (nothing_left) {
        out.scale_up = verdict_of_pass::nothing_pending;
    } else if (how.wait_for_new_pods && must_wait(of, out.groups, now_ms)) {
        out.scale_up = verdict_of_pass::too_new;
    } else {
        scale_up(of, how, now_ms, before, out).run();
    }
}

}  // namespace gputide::nodes
