// Reads pods, nodes and pools in this library's own format (docs/json.md).
#pragma once

#include "nodes/groups.hpp"
#include "nodes/node.hpp"
#include "nodes/read/values.hpp"

namespace gputide::nodes {

// Reads the members of an object; after an error finding the object must not be used.
pod read_pod(const value_reader& reader);
pod_group read_group(const value_reader& reader);
node read_node(const value_reader& reader);
pool read_pool(const value_reader& reader);

// Parts that are equal in Kubernetes objects and in our format.
std::vector<toleration> read_tolerations(const value_reader& list);
std::vector<taint> read_taints(const value_reader& list);
std::vector<affinity_term> read_terms(const value_reader& list, std::string_view expressions, std::string_view fields);

gpu_info read_gpu(const value_reader& reader);

// Adds the resources that the GPU configuration implies, if allocatable has no GPU.
void add_advertised(node_shape& shape);

}  // namespace gputide::nodes
