#include "nodes/reason.hpp"

namespace gputide::nodes {

std::string code_of(const reason& reason) {
    switch (reason.code) {
        case misfit::node_selector:
            return "node_selector_mismatch";
        case misfit::untolerated_taint:
            return "untolerated_taint:" + reason.name;
        case misfit::gpu_model:
            return "gpu_model_mismatch";
        case misfit::gpu_memory:
            return "gpu_memory_too_small";
        case misfit::insufficient:
            return "insufficient:" + reason.name;
        case misfit::host_port:
            return "host_port_conflict";
    }
    return {};
}

std::string message_of(const reason& reason) {
    switch (reason.code) {
        case misfit::node_selector:
            return "node(s) didn't match Pod's node affinity/selector";
        case misfit::untolerated_taint:
            return "node(s) had untolerated taint {" + reason.name + "}";
        case misfit::gpu_model:
            return "node(s) had another GPU model";
        case misfit::gpu_memory:
            return "node(s) had too little GPU memory in one unit";
        case misfit::insufficient:
            return "Insufficient " + reason.name;
        case misfit::host_port:
            return "node(s) didn't have free ports for the requested pod ports";
    }
    return {};
}

}  // namespace gputide::nodes
