// Pods, nodes and pools as this library's own texts write them (docs/json.md).
#pragma once

#include "nodes/groups.hpp"
#include "nodes/node.hpp"
#include "nodes/read/values.hpp"

namespace gputide::nodes {

// A whole's own members; what is refused is a finding, and the object is then not to be used.
pod read_pod(const value_reader& reader);
pod_group read_group(const value_reader& reader);
node read_node(const value_reader& reader);
pool read_pool(const value_reader& reader);

// Parts that Kubernetes' objects share with ours.
std::vector<toleration> read_tolerations(const value_reader& list);
std::vector<taint> read_taints(const value_reader& list);
std::vector<affinity_term> read_terms(const value_reader& list, std::string_view expressions, std::string_view fields);

gpu_info read_gpu(const value_reader& reader);

// The amounts that the GPU configuration stands for, where allocatable names no GPU at all.
void add_advertised(node_shape& shape);

}  // namespace gputide::nodes
