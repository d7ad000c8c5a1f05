#include "through/nodes.hpp"

#include <cmath>

namespace conformance {
namespace {

void rename(json& in, const char* from, const char* to) {
    if (!in.contains(from)) return;
    in[to] = in.at(from);
    in.erase(from);
}

void to_ms(json& in, const char* from_s, const char* in_ms, std::int64_t origin_ms, double sign) {
    if (!in.contains(from_s)) return;
    in[in_ms] = origin_ms + std::llround(sign * 1000.0 * in.at(from_s).get<double>());
    in.erase(from_s);
}

}  // namespace

std::int64_t case_time_ms(const json& seconds) { return case_epoch_ms + std::llround(1000.0 * seconds.get<double>()); }

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

json own_snapshot(const json& input) {
    json out = {{"pools", json::array()}, {"groups", json::array()}, {"options", json::object()}};
    for (const json& pool : input.at("pools")) out["pools"].push_back(own_shape(pool));
    for (const json& group : input.at("groups")) {
        json own = group;
        own["pod"] = own_pod(group.at("pod"), case_epoch_ms);
        out["groups"].push_back(own);
    }
    json& options = out["options"];
    std::string chain;
    for (const json& name : input.value("expanders", json::array()))
        chain += (chain.empty() ? "" : ",") + name.get<std::string>();
    if (!chain.empty()) options["expander"] = chain;
    if (input.contains("max_nodes_total")) options["max-nodes-total"] = input.at("max_nodes_total");
    if (input.contains("order")) options["order"] = input.at("order");
    if (input.contains("priorities")) options["priorities"] = input.at("priorities");
    options["balance-similar-node-groups"] = input.value("balance", false);
    options["all-or-nothing"] = input.value("all_or_nothing", false);
    options["max-passes"] = 1;
    return out;
}

differences compare_case(const json& one, const json& actual) {
    differences out;
    expect_equal(out, "", one.at("expect"), actual,
                 {.tolerance = one.value("tol", 1e-9), .subset = one.value("match", "") == "subset"});
    return out;
}

}  // namespace conformance
