#include "inside/node_values.hpp"

#include "config/document.hpp"
#include "nodes/read/objects.hpp"

#include <cmath>
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
        if (one.severity == config::severity::error && one.code != "missing") throw std::runtime_error(config::render(one));
    }
    return out;
}

void rename(json& in, const char* from, const char* to) {
    if (!in.contains(from)) return;
    in[to] = in.at(from);
    in.erase(from);
}

void to_ms(json& in, const char* from_s, const char* to_ms, std::int64_t origin_ms, double sign) {
    if (!in.contains(from_s)) return;
    in[to_ms] = origin_ms + std::llround(sign * 1000.0 * in.at(from_s).get<double>());
    in.erase(from_s);
}

}  // namespace

std::int64_t case_time_ms(const json& seconds) {
    return case_epoch_ms + std::llround(1000.0 * seconds.get<double>());
}

json own_pod(const json& one, std::int64_t now_ms) {
    json out = one;
    rename(out, "gpu_memory_min", "gpu_memory_min_bytes");
    rename(out, "host_ports", "ports");
    to_ms(out, "age_s", "created_ms", now_ms, -1.0);
    to_ms(out, "created", "created_ms", case_epoch_ms, 1.0);
    to_ms(out, "deleted_at", "deleted_ms", case_epoch_ms, 1.0);
    to_ms(out, "grace_s", "grace_ms", 0, 1.0);
    if (out.value("daemonset", false)) out["owner"] = "DaemonSet";
    out.erase("daemonset");
    if (out.contains("pdb")) out["budgets"] = json::array({out.at("pdb")});
    out.erase("pdb");
    if (out.contains("safe_to_evict") && out.at("safe_to_evict").is_boolean())
        out["safe_to_evict"] = out.at("safe_to_evict").get<bool>() ? "true" : "false";
    return out;
}

json own_shape(const json& one) {
    json out = one;
    rename(out, "requested", "daemon_requests");
    if (out.contains("gpu")) rename(out["gpu"], "memory", "memory_bytes");
    return out;
}

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

differences compare_case(const json& one, const json& actual) {
    differences out;
    expect_equal(out, "", one.at("expect"), actual,
                 {.tolerance = one.value("tol", 1e-9), .subset = one.value("match", "") == "subset"});
    return out;
}

}  // namespace conformance
