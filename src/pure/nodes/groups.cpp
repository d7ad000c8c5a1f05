#include "nodes/groups.hpp"

#include "nodes/passes.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace gputide::nodes {
namespace {

// One attempt leaves out one gang; with more failing ones than this, it leaves out half of them.
constexpr std::size_t max_failing_one_by_one = 16;

struct gang_count {
    std::string_view name;
    std::int32_t priority = 0;
    std::int64_t pods = 0;
    std::int64_t placed = 0;
};

// Returns the gangs of the pending pods in the order of their first pods.
std::vector<gang_count> count_gangs(const cluster& cluster, const plan& plan) {
    std::vector<gang_count> out;
    std::map<std::string_view, std::size_t> positions;
    for (std::size_t i = 0; i < cluster.pending.size(); ++i) {
        const pod_group& group = cluster.pending[i];
        if (group.pod.gang.empty()) continue;
        const auto [at, is_new] = positions.try_emplace(group.pod.gang, out.size());
        if (is_new) out.push_back({group.pod.gang, group.pod.priority});
        gang_count& gang = out[at->second];
        gang.priority = std::min(gang.priority, group.pod.priority);
        gang.pods += group.count;
        gang.placed += plan.groups[i].on_existing + plan.groups[i].on_new;
    }
    return out;
}

bool is_satisfied(const gang_count& count, const pod_gang& gang) {
    const std::int64_t wanted =
        gang.min_pods > 0 ? std::max<std::int64_t>(0, gang.min_pods - gang.running) : count.pods;
    return count.placed >= wanted;
}

}  // namespace

void plan_gangs(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before, plan& out) {
    const plan blank = out;
    std::map<std::string, std::int64_t> left;
    while (true) {
        out = blank;
        out.gangs_left = left;
        plan_scale_up(cluster, how, now_ms, before, out);
        if (cluster.gangs.empty() || out.scale_up == verdict_of_pass::too_new ||
            out.scale_up == verdict_of_pass::unhealthy)
            return;
        std::vector<gang_count> failing = count_gangs(cluster, out);
        std::erase_if(failing, [&](const gang_count& gang) {
            const std::string name(gang.name);
            return left.contains(name) || is_satisfied(gang, cluster.gangs.at(name));
        });
        if (failing.empty()) return;
        std::stable_sort(failing.begin(), failing.end(),
                         [](const gang_count& a, const gang_count& b) { return a.priority > b.priority; });
        const std::size_t kept = failing.size() > max_failing_one_by_one ? failing.size() / 2 : failing.size() - 1;
        for (std::size_t i = kept; i < failing.size(); ++i) left.emplace(failing[i].name, failing[i].placed);
    }
}

}  // namespace gputide::nodes
