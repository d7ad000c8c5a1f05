// Reasons why something is not done: stable codes, and their subject.  Texts are for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::nodes {

enum class misfit : std::int32_t {
    node_selector = 0,
    untolerated_taint = 1,
    gpu_model = 2,
    gpu_memory = 3,
    insufficient = 4,
    host_port = 5,
};

// Why a pod does not fit a node.
struct reason {
    misfit code = misfit::node_selector;
    std::string name;  // the taint's key, the resource's name; "" for others

    friend bool operator==(const reason&, const reason&) = default;
};

// Returns "node_selector_mismatch", "untolerated_taint:sku", "gpu_model_mismatch", "gpu_memory_too_small",
// "insufficient:nvidia.com/gpu", "host_port_conflict"
std::string code_of(const reason& reason);

// Returns the scheduler's text: "Insufficient nvidia.com/gpu".
std::string message_of(const reason& reason);

}  // namespace gputide::nodes
