#include "nodes/fit.hpp"

#include "base/saturate.hpp"

#include <algorithm>

namespace gputide::nodes {
namespace {

void check_amounts(const placement& asks, const node_shape& shape, const resource_list& used,
                   std::vector<reason>& out) {
    resource_list wanted;
    for (const resource& request : asks.requests) {
        if (request.amount > 0 && request.name != pods_name) wanted.set(request.name, request.amount);
    }
    if (shape.allocatable.lists(pods_name)) wanted.set(pods_name, 1);
    for (const resource& resource : wanted) {
        if (add_saturating(used.of(resource.name), resource.amount) > shape.allocatable.of(resource.name))
            out.push_back({misfit::insufficient, resource.name});
    }
}

bool port_is_taken(const placement& asks, const std::vector<host_port>& taken) {
    return std::any_of(asks.ports.begin(), asks.ports.end(), [&](const host_port& wanted) {
        return std::any_of(taken.begin(), taken.end(),
                           [&](const host_port& other) { return ports_collide(wanted, other); });
    });
}

}  // namespace

std::vector<reason> why_not(const placement& asks, const node_shape& shape, const occupied& taken,
                            std::string_view node_name) {
    std::vector<reason> out;
    if (!selector_matches(asks, shape, node_name)) out.push_back({misfit::node_selector, {}});
    if (const taint* const taint = first_untolerated(asks, shape.taints))
        out.push_back({misfit::untolerated_taint, taint->key});
    if (!gpu_model_matches(asks, shape)) out.push_back({misfit::gpu_model, {}});
    if (!gpu_memory_suffices(asks, shape)) out.push_back({misfit::gpu_memory, {}});
    check_amounts(asks, shape, taken.used, out);
    if (port_is_taken(asks, taken.ports)) out.push_back({misfit::host_port, {}});
    return out;
}

std::vector<reason> why_not_on_template(const placement& asks, const node_shape& shape) {
    occupied daemons;
    daemons.used = shape.daemon_requests;
    return why_not(asks, shape, daemons);
}

occupied taken_by(std::span<const pod> pods) {
    occupied out;
    for (const pod& pod : pods) {
        if (pod.finished()) continue;  // finished pods do not count, as in the scheduler
        out.used.add(pod.placement.requests);
        out.used.add(pods_name, 1);
        out.ports.insert(out.ports.end(), pod.placement.ports.begin(), pod.placement.ports.end());
    }
    return out;
}

}  // namespace gputide::nodes
