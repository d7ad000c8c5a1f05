#include "nodes/groups.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace gputide::nodes {
namespace {

bool are_equal(const pod& a, const pod& b) {
    return a.priority == b.priority && a.labels == b.labels && a.placement == b.placement;
}

pod_group alone(pod pod) {
    pod_group out;
    out.name = full_name(pod);
    out.members.push_back(out.name);
    out.count = 1;
    out.pod = std::move(pod);
    return out;
}

}  // namespace

std::vector<pod_group> group_pods(std::vector<pod> pods) {
    std::vector<pod_group> out;
    std::unordered_map<std::string, std::vector<std::size_t>> of_controller;
    for (pod& pod : pods) {
        if (!pod.owner || pod.owner->uid.empty() || pod.of_daemon_set()) {
            out.push_back(alone(std::move(pod)));
            continue;
        }
        std::vector<std::size_t>& known = of_controller[pod.owner->uid];
        const auto same = std::find_if(known.begin(), known.end(),
                                       [&](std::size_t number) { return are_equal(out[number].pod, pod); });
        if (same != known.end()) {
            ++out[*same].count;
            out[*same].members.push_back(full_name(pod));
            continue;
        }
        if (known.size() < most_groups_per_controller) known.push_back(out.size());
        out.push_back(alone(std::move(pod)));
    }
    return out;
}

}  // namespace gputide::nodes
