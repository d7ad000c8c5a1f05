#include "inside/node_values.hpp"

#include "config/document.hpp"
#include "nodes/read/objects.hpp"

#include <stdexcept>

namespace conformance {

namespace config = gputide::config;
namespace nodes = gputide::nodes;

namespace {

// Reads a value of our own spelling with the room's reader; an error fails the case.
template <class Read>
auto read_own(const json& written, Read read) {
    config::report findings;
    const std::vector<config::document> documents = config::read_documents("case", written.dump(), findings);
    if (documents.empty()) throw std::runtime_error("not read: " + written.dump());
    const config::cursor root{&documents.front().root, &documents.front().file, ""};
    auto out = read(nodes::value_reader(root, nodes::dialect::own, findings));
    for (const config::finding& one : findings.findings) {
        if (one.severity == config::severity::error && one.code != "missing")
            throw std::runtime_error(config::render(one));
    }
    return out;
}

}  // namespace

nodes::pod pod_of(const json& one, std::int64_t now_ms) { return read_own(own_pod(one, now_ms), nodes::read_pod); }

nodes::node_shape shape_of(const json& one) {
    json pool = own_shape(one);
    pool["id"] = "template";
    return read_own(pool, nodes::read_pool).shape.value_or(nodes::node_shape{});
}

nodes::node node_of(const json& one, const json& pods, std::int64_t now_ms) {
    json written = own_shape(one);
    for (const char* beside : {"pods", "used", "ports", "daemon_requests"}) written.erase(beside);
    if (!written.contains("name")) written["name"] = "node";
    written["pods"] = json::array();
    for (const json& pod : pods) written["pods"].push_back(own_pod(pod, now_ms));
    return read_own(written, nodes::read_node);
}

nodes::resource_list amounts_of(const json& one) {
    nodes::resource_list out;
    for (const auto& [name, value] : one.items()) {
        if (value.is_number()) out.set(name, value.get<std::int64_t>());
    }
    return out;
}

}  // namespace conformance
