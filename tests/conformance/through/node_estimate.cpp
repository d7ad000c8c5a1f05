#include "protocol/structs.hpp"
#include "through/nodes.hpp"

#include <cmath>
#include <stdexcept>

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

json own_pod(const json& object, std::int64_t now_ms) {
    json out = object;
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

json own_shape(const json& object) {
    json out = object;
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

differences compare_case(const json& test_case, const json& actual) {
    differences out;
    expect_equal(out, "", test_case.at("expect"), actual,
                 {.tolerance = test_case.value("tol", 1e-9), .subset = test_case.value("match", "") == "subset"});
    return out;
}

}  // namespace conformance

// node-estimate at the C API: each case becomes a text that gputide_nodes_plan takes, and its plan says what the case asks for.
// Parts of a plan that no plan shows by themselves (limits, options of an expander, ...) are looked at inside.

namespace conformance::node_estimate {
namespace {

json plan_of(const json& text, std::int64_t now_ms, c_api& library) {
    const json result =
        library.result({{"call", "nodes.plan"}, {"text", text.dump()}, {"now_ms", json_integer(now_ms)}});
    if (result.contains("error")) throw std::runtime_error("nodes.plan: " + result.at("error").dump());
    json plan = json::parse(text_in(result.at("json")));
    if (plan.at("findings").at("errors") != 0) throw std::runtime_error("nodes.plan: " + plan.at("findings").dump());
    return plan;
}

// ---- scale-up
differences check_scale_up(const json& test_case, const json&, c_api& library) {
    const json plan = plan_of(own_snapshot(test_case.at("input")), case_epoch_ms, library);
    json got = {{"pool", nullptr},
                {"add", 0},
                {"placed", json::object()},
                {"rejected", json::object()},
                {"skipped", json::object()}};
    for (const json& pass : plan.at("scale_up").at("passes")) {
        if (pass.at("increases").empty()) continue;
        got["pool"] = pass.at("pool");
        got["add"] = plan.at("scale_up").at("nodes");
        got["placed"] = pass.at("placed");
    }
    for (const json& group : plan.at("groups")) {
        if (!group.at("rejected").empty()) got["rejected"][group.at("name").get<std::string>()] = group.at("rejected");
    }
    for (const json& pool : plan.at("pools")) {
        if (pool.contains("skipped")) got["skipped"][pool.at("id").get<std::string>()] = pool.at("skipped");
    }
    return compare_case(test_case, got);
}

constexpr std::int64_t enough_nodes = 100'000;

differences check_estimate(const json& test_case, const json&, c_api& library) {
    const json& input = test_case.at("input");
    json pool = input.at("template");
    pool["id"] = "template";
    pool["max"] = input.value("max_nodes", 0) < 0 ? 0 : enough_nodes;
    json text = own_snapshot(
        {{"pools", json::array({pool})}, {"groups", input.at("groups")}, {"order", input.value("order", "ca")}});
    text["options"]["max-nodes-per-scaleup"] = 0;
    const json plan = plan_of(text, case_epoch_ms, library);
    json by_group = json::object();
    std::int64_t pods = 0;
    for (const json& group : plan.at("groups")) {
        by_group[group.at("name").get<std::string>()] = group.at("on_new");
        pods += group.at("on_new").get<std::int64_t>();
    }
    return compare_case(test_case,
                        {{"nodes", plan.at("scale_up").at("nodes")}, {"pods", pods}, {"by_group", by_group}});
}

// A plan looks at no group that fits no empty node, and so spends none of a limit on one.
reach reach_of_estimate(const json& test_case) {
    return test_case.at("input").value("max_nodes", 0) > 0 ? reach::none : reach::whole;
}

differences check_fit(const json& test_case, const json&, c_api& library) {
    const json& input = test_case.at("input");
    json pool = input.at("node");
    pool["id"] = "node";
    pool["max"] = 1;
    const json group = {{"name", "pod"}, {"count", 1}, {"pod", input.at("pod")}};
    const json plan = plan_of(own_snapshot({{"pools", json::array({pool})}, {"groups", json::array({group})}}),
                              case_epoch_ms, library);
    return compare_case(test_case, plan.at("groups")[0].at("rejected").value("node", json::array()));
}

// The estimate of an empty template, with the GPUs that it lists.
reach reach_of_fit(const json& test_case) {
    const json& input = test_case.at("input");
    const json& node = input.at("node");
    const json amounts = node.value("allocatable", json::object());
    bool lists_gpus = false;
    for (const auto& [name, amount] : amounts.items())
        lists_gpus = lists_gpus || (name.starts_with("nvidia.com/") && amount > 0);
    const bool plain = !input.contains("used") && !input.contains("ports") && !node.contains("used") &&
                       !node.contains("ports") && !node.contains("pods") && !node.contains("name");
    return plain && !amounts.empty() && (lists_gpus || !node.contains("gpu")) ? reach::whole : reach::none;
}

// ---- scale-down
json running_node(const json& node, const json& pods, std::int64_t now_ms) {
    json out = own_shape(node);
    out["pool"] = "pool";
    out["pods"] = json::array();
    for (const json& pod : pods) out["pods"].push_back(own_pod(pod, now_ms));
    return out;
}

json with_nodes(const json& nodes, const json& options) {
    const auto size = nodes.size();
    const json pool = {{"id", "pool"}, {"size", size}, {"max", size}};
    return {{"pools", json::array({pool})}, {"nodes", nodes}, {"options", options}};
}

bool is_strict(const json& test_case) { return test_case.value("origin", "") != "project"; }

json plan_of_node(const json& test_case, const json& options, c_api& library) {
    const json& input = test_case.at("input");
    const std::int64_t now_ms = case_time_ms(input.value("now", json(0)));
    json node = running_node(input.at("node"), input.value("pods", json::array()), now_ms);
    node["name"] = "node";
    return plan_of(with_nodes(json::array({node}), options), now_ms, library).at("nodes")[0];
}

differences check_utilization(const json& test_case, const json&, c_api& library) {
    const json& input = test_case.at("input");
    const json node = plan_of_node(test_case,
                                   {{"strict", is_strict(test_case)},
                                    {"ignore-daemonsets-utilization", input.value("skip_daemonsets", false)},
                                    {"ignore-mirror-pods-utilization", input.value("skip_mirror", false)}},
                                   library);
    if (!node.contains("utilization")) return compare_case(test_case, {{"error", true}});
    return compare_case(test_case, {{"utilization", node.at("utilization")}, {"resource", node.at("resource")}});
}

differences check_eligibility(const json& test_case, const json&, c_api& library) {
    const json options = test_case.at("input").value("options", json::object());
    json own = {{"strict", is_strict(test_case)},
                {"ignore-daemonsets-utilization", options.value("ignore_ds", false)},
                {"ignore-mirror-pods-utilization", options.value("ignore_mirror", false)},
                {"scale-down-unready-enabled", options.value("unready_enabled", true)}};
    if (options.contains("util_threshold")) own["scale-down-utilization-threshold"] = options.at("util_threshold");
    if (options.contains("gpu_threshold")) own["scale-down-gpu-utilization-threshold"] = options.at("gpu_threshold");
    const json node = plan_of_node(test_case, own, library);
    return compare_case(test_case, node.contains("removal") ? json("NoReason") : node.at("reason"));
}

// A node as a text has it: its allocatable may not be empty, and only known labels mark GPUs.
reach reach_of_node(const json& test_case) {
    const json& input = test_case.at("input");
    const json& node = input.at("node");
    const bool known =
        input.value("gpu_label", "kubernetes.azure.com/accelerator") == "kubernetes.azure.com/accelerator";
    bool plain = true;
    for (const char* mark : {"annotated", "annotations", "deleting", "being_deleted", "in_pool", "pool"})
        plain = plain && !node.contains(mark) && !input.contains(mark);
    return known && plain && !node.value("allocatable", json::object()).empty() ? reach::whole : reach::none;
}

differences check_gpu_ready(const json& test_case, const json&, c_api& library) {
    return compare_case(test_case,
                        plan_of_node(test_case, {{"strict", is_strict(test_case)}}, library).at("state") == "ready");
}

differences check_removal(const json& test_case, const json&, c_api& library) {
    const json& input = test_case.at("input");
    const json options = input.value("options", json::object());
    const std::string wanted = input.at("order")[0].get<std::string>();
    const std::int64_t now_ms = case_time_ms(input.value("now", json(0)));
    json nodes = json::array();
    for (const auto& [name, written] : input.at("nodes").items()) {
        json node = running_node(written, written.value("pods", json::array()), now_ms);
        node["name"] = name;
        node["keep"] = name != wanted;
        nodes.push_back(node);
    }
    json own = {{"scale-down-utilization-threshold", 1}, {"scale-down-gpu-utilization-threshold", 1}};
    if (options.contains("skip_local_storage")) own["skip-nodes-with-local-storage"] = options.at("skip_local_storage");
    if (options.contains("skip_system_pods")) own["skip-nodes-with-system-pods"] = options.at("skip_system_pods");
    if (options.contains("skip_custom_controller_pods"))
        own["skip-nodes-with-custom-controller-pods"] = options.at("skip_custom_controller_pods");
    if (options.contains("min_replica_count")) own["min-replica-count"] = options.at("min_replica_count");
    json text = with_nodes(nodes, own);
    text["budgets"] = options.value("pdb", json::object());
    const json plan = plan_of(text, now_ms, library);
    json got = json::object();
    for (const json& node : plan.at("nodes")) {
        if (node.at("name") == wanted) got[wanted] = node.at("removal");
    }
    return compare_case(test_case, got);
}

// A plan chooses the order itself.
reach reach_of_removal(const json& test_case) {
    return test_case.at("input").at("order").size() == 1 ? reach::whole : reach::none;
}

differences check_too_new(const json& test_case, const json&, c_api& library) {
    const json& input = test_case.at("input");
    json pods = json::array();
    for (const json& pod : input.at("pods")) {
        const char* const asked = pod.value("gpu", false) ? "nvidia.com/gpu" : "cpu";
        pods.push_back({{"name", "pod-" + std::to_string(pods.size())},
                        {"requests", {{asked, 1}}},
                        {"created_ms", case_time_ms(pod.at("created"))}});
    }
    const json text = {{"pools", json::array()}, {"pods", pods}};
    const json plan = plan_of(text, case_time_ms(input.at("now")), library);
    return compare_case(test_case, plan.at("scale_up").at("verdict") == "too_new");
}

const registration decisions{"node-estimate", {"scale_up"}, &check_scale_up};
const registration estimates{"node-estimate", {"estimate"}, &check_estimate, &reach_of_estimate};
const registration fits{"node-estimate", {"fit"}, &check_fit, &reach_of_fit};
const registration utilizations{"node-estimate", {"utilization"}, &check_utilization, &reach_of_node};
const registration candidates{"node-estimate", {"eligibility"}, &check_eligibility, &reach_of_node};
const registration readiness{"node-estimate", {"gpu_ready"}, &check_gpu_ready, &reach_of_node};
const registration removals{"node-estimate", {"removal"}, &check_removal, &reach_of_removal};
const registration ages{"node-estimate", {"pods_too_new"}, &check_too_new};

}  // namespace
}  // namespace conformance::node_estimate
