#include "nodes/groups.hpp"

#include "base/stable_order.hpp"
#include "nodes/passes.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace gputide::nodes {
namespace {

struct gang_count {
    std::string_view name;
    std::int32_t priority = 0;
    std::int64_t pods = 0;
    std::int64_t placed = 0;
};

// Returns the gangs of the pending pods in the order of their first pods; `placed` counts their pods in the plan's groups.
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
        if (i < plan.groups.size()) gang.placed += plan.groups[i].on_existing + plan.groups[i].on_new;
    }
    return out;
}

bool is_satisfied(const gang_count& count, const pod_gang& gang) {
    const std::int64_t wanted =
        gang.min_pods > 0 ? std::max<std::int64_t>(0, gang.min_pods - gang.running) : count.pods;
    return count.placed >= wanted;
}

// Limit of attempts.  Each attempt computes a whole plan; 100 gangs that never fit need about 200 attempts.
constexpr std::size_t max_attempts = 400;

class gang_planner {
  public:
    gang_planner(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before,
                 const plan& blank)
        : of_(cluster), how_(how), now_ms_(now_ms), before_(before), blank_(blank) {
        order_ = count_gangs(cluster, blank);
        sort_stably(order_, [](const gang_count& a, const gang_count& b) { return a.priority > b.priority; });
        for (const gang_count& gang : order_) left_.emplace(gang.name, 0);
    }

    plan run() {
        best_ = plan_now();
        add(order_);
        best_.gangs_left = left_;  // with the number of pods that the last attempt placed
        return std::move(best_);
    }

  private:
    plan plan_now() const {
        plan out = blank_;
        out.gangs_left = left_;
        scale_up_in_order(of_, how_, now_ms_, before_, out);
        return out;
    }

    // Adds the gangs if then every gang in the plan is satisfied or the scale-up waits; otherwise tries each half alone.
    void add(std::span<const gang_count> gangs) {
        if (gangs.empty() || ++attempts_ > max_attempts) return;  // untried gangs stay in left_
        for (const gang_count& gang : gangs) left_.erase(std::string(gang.name));
        plan attempt = plan_now();
        const std::vector<gang_count> counts = count_gangs(of_, attempt);
        const bool waits =
            attempt.scale_up == verdict_of_pass::too_new || attempt.scale_up == verdict_of_pass::unhealthy;
        const bool all = std::all_of(counts.begin(), counts.end(), [&](const gang_count& gang) {
            const std::string name(gang.name);
            return left_.contains(name) || is_satisfied(gang, of_.gangs.at(name));
        });
        if (all || waits) {
            best_ = std::move(attempt);
            return;
        }
        for (const gang_count& gang : gangs) left_.emplace(gang.name, placed_of(counts, gang.name));
        if (gangs.size() == 1) return;
        add(gangs.first(gangs.size() / 2));
        add(gangs.subspan(gangs.size() / 2));
    }

    static std::int64_t placed_of(const std::vector<gang_count>& counts, std::string_view name) {
        const auto at =
            std::find_if(counts.begin(), counts.end(), [&](const gang_count& gang) { return gang.name == name; });
        return at != counts.end() ? at->placed : 0;
    }

    const cluster& of_;
    const options& how_;
    std::int64_t now_ms_;
    const state& before_;
    const plan& blank_;
    std::size_t attempts_ = 0;
    std::vector<gang_count> order_;             // by descending priority, then by the first pod's position
    std::map<std::string, std::int64_t> left_;  // gangs outside the plan, with their placed pods in the last attempt
    plan best_;
};

}  // namespace

void plan_gangs(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before, plan& out) {
    if (cluster.gangs.empty()) return scale_up_in_order(cluster, how, now_ms, before, out);
    const plan blank = out;
    out = gang_planner(cluster, how, now_ms, before, blank).run();
}

}  // namespace gputide::nodes
