#include "nodes/estimate.hpp"

#include "base/stable_order.hpp"
#include "nodes/growth.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace gputide::nodes {

namespace {

bool are_equal(const pod& a, const pod& b) {
    return a.priority == b.priority && a.gang == b.gang && a.labels == b.labels && a.placement == b.placement;
}

pod_group alone(pod pod, std::uint32_t position) {
    pod_group out;
    out.name = full_name(pod);
    out.positions.push_back(position);
    out.count = 1;
    out.pod = std::move(pod);
    return out;
}

}  // namespace

std::vector<pod_group> group_pods(std::vector<pod> pods) {
    constexpr std::size_t max_groups_per_controller = 10;
    std::vector<pod_group> out;
    std::unordered_map<std::string, std::vector<std::size_t>> of_controller;
    for (std::uint32_t i = 0; i < pods.size(); ++i) {
        pod& pod = pods[i];
        if (!pod.owner || pod.owner->uid.empty() || pod.of_daemon_set()) {
            out.push_back(alone(std::move(pod), i));
            continue;
        }
        std::vector<std::size_t>& known = of_controller[pod.owner->uid];
        const auto same =
            std::ranges::find_if(known, [&](std::size_t number) { return are_equal(out[number].pod, pod); });
        if (same != known.end()) {
            ++out[*same].count;
            out[*same].positions.push_back(i);
            continue;
        }
        if (known.size() < max_groups_per_controller) known.push_back(out.size());
        out.push_back(alone(std::move(pod), i));
    }
    return out;
}

namespace {

double part_of(std::int64_t request, std::int64_t allocatable) {
    return allocatable == 0 ? 0.0 : static_cast<double>(request) / static_cast<double>(allocatable);
}

struct score {
    double first = 0.0;
    double cpu_and_memory = 0.0;
};

score score_of(const placement& asks, const node_shape& shape, packing_order order) {
    score out;
    for (const std::string_view name : {cpu_name, memory_name})
        out.cpu_and_memory += part_of(asks.requests.of(name), shape.allocatable.of(name));
    if (order == packing_order::ca) return out;
    for (const resource& request : asks.requests) {
        if (is_gpu(request.name) || order == packing_order::largest)
            out.first = std::max(out.first, part_of(request.amount, shape.allocatable.of(request.name)));
    }
    if (asks.claims != nullptr) out.first = std::max(out.first, share_of_devices(*asks.claims, shape));
    return out;
}

// One estimation: the nodes added so far, and their pods.
class packer {
  public:
    packer(std::span<const pod_count> groups, const node_shape& shape, std::int64_t max_nodes, pod_topology* rules)
        : groups_(groups), limiter_(max_nodes), bins_(rules) {
        for (const pod_count& group : groups) bins_.add_demand(*group.asks, group.kind);
        kind_ = bins_.add_kind(shape);
        daemons_.used = shape.daemon_requests;
        out_.by_group.assign(groups.size(), 0);
    }

    void pack(std::uint32_t group) {
        std::int64_t left = groups_[group].count;
        for (std::uint32_t bin = bins_.next_with_capacity(group, 0); bin < bins_.size() && left > 0;
             bin = bins_.next_with_capacity(group, bin + 1))
            left -= place(group, bin, left);
        while (left > 0 && adding_) {
            if (const std::int64_t evened = spread_evenly(group, left); evened > 0) {
                left -= evened;
                continue;
            }
            if (bins_.size() > 0 && bins_.is_empty(newest())) return;  // a further empty node would not help
            if (!limiter_.may_add()) {
                adding_ = false;
                return;
            }
            bins_.add_bin(kind_, daemons_);
            out_.nodes.emplace_back();
            const std::int64_t placed = place(group, newest(), left);
            if (placed == 0) return;
            left -= placed;
        }
    }

    estimate take() {
        std::erase_if(out_.nodes, [](const auto& entry) { return entry.empty(); });
        for (std::uint32_t group = 0; group < groups_.size(); ++group)
            out_.undecided.push_back(bins_.is_undecided(group));
        return std::move(out_);
    }

  private:
    // A pod that is spread over hosts may fit an earlier node again once the later ones have pods.
    std::int64_t spread_evenly(std::uint32_t group, std::int64_t max_pods) {
        const std::vector<spread_rule>& spreads = groups_[group].asks->spreads;
        const bool by_host =
            std::ranges::any_of(spreads, [](const spread_rule& rule) { return rule.pods.key == hostname_key; });
        std::int64_t placed = 0;
        for (std::uint32_t bin = 0; by_host && bin < bins_.size() && placed < max_pods; ++bin)
            placed += place(group, bin, 1);
        return placed;
    }

    std::uint32_t newest() const { return static_cast<std::uint32_t>(bins_.size() - 1); }

    std::int64_t place(std::uint32_t group, std::uint32_t bin, std::int64_t max_pods) {
        const std::int64_t count = bins_.place(group, bin, max_pods);
        if (count == 0) return 0;
        out_.nodes[bin].push_back({group, count});
        out_.by_group[group] += count;
        out_.pods += count;
        return count;
    }

    std::span<const pod_count> groups_;
    node_limiter limiter_;
    bins bins_;
    std::uint32_t kind_ = 0;
    occupied daemons_;
    bool adding_ = true;
    estimate out_;
};

}  // namespace

std::vector<std::uint32_t> packing_sequence(std::span<const pod_count> groups, const node_shape& shape,
                                            packing_order order) {
    std::vector<score> scores;
    scores.reserve(groups.size());
    for (const pod_count& group : groups) scores.push_back(score_of(*group.asks, shape, order));
    std::vector<std::uint32_t> out(groups.size());
    std::iota(out.begin(), out.end(), 0U);
    sort_stably(out, [&](std::uint32_t a, std::uint32_t b) {
        if (scores[a].first != scores[b].first) return scores[a].first > scores[b].first;
        return scores[a].cpu_and_memory > scores[b].cpu_and_memory;
    });
    return out;
}

estimate estimate_nodes(std::span<const pod_count> groups, const node_shape& shape, packing_order order,
                        std::int64_t max_nodes, pod_topology* rules) {
    packer work(groups, shape, max_nodes, rules);
    for (const std::uint32_t group : packing_sequence(groups, shape, order)) work.pack(group);
    return work.take();
}

}  // namespace gputide::nodes
