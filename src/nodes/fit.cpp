#include "nodes/fit.hpp"

#include "base/saturate.hpp"

#include <algorithm>

namespace gputide::nodes {
namespace {

void check_amounts(const placement& asks, const node_shape& shape, const resource_list& used,
                   std::vector<reason>& out) {
    resource_list wanted;
    for (const resource& one : asks.requests) {
        if (one.amount > 0 && one.name != pods_name) wanted.set(one.name, one.amount);
    }
    if (shape.allocatable.lists(pods_name)) wanted.set(pods_name, 1);
    for (const resource& one : wanted) {
        if (add_saturating(used.of(one.name), one.amount) > shape.allocatable.of(one.name))
            out.push_back({misfit::insufficient, one.name});
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
    if (const taint* const one = first_untolerated(asks, shape.taints))
        out.push_back({misfit::untolerated_taint, one->key});
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
    for (const pod& one : pods) {
        if (one.finished()) continue;  // finished pods do not count, as in the scheduler
        out.used.add(one.placement.requests);
        out.used.add(pods_name, 1);
        out.ports.insert(out.ports.end(), one.placement.ports.begin(), one.placement.ports.end());
    }
    return out;
}

}  // namespace gputide::nodes
