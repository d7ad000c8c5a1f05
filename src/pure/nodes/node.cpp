#include "nodes/node.hpp"

#include "base/saturate.hpp"

namespace gputide::nodes {

// DaemonSet requests for resources that the template does not list are ignored.
resource_list free_of(const node_shape& shape) {
    resource_list out;
    for (const resource& resource : shape.allocatable)
        out.set(resource.name, subtract_saturating(resource.amount, shape.daemon_requests.of(resource.name)));
    return out;
}

std::int64_t amount_of_node(const node_shape& shape, std::string_view resource_name) {
    return resource_name == "nodes" ? 1 : shape.capacity_or_allocatable().of(resource_name);
}

}  // namespace gputide::nodes
