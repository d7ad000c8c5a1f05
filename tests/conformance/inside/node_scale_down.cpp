// node-estimate: utilization, what may go and when, simulated removal, readiness, health, pauses.
#include "inside/node_values.hpp"
#include "nodes/scale_down/drain.hpp"
#include "nodes/scale_down/eligibility.hpp"

namespace conformance::node_scale_down {
namespace {

using namespace gputide::nodes;

// Tells whether a case follows cluster-autoscaler, not this project's own rules.
bool is_strict(const json& test_case) { return test_case.value("origin", "") != "project"; }

bool is_labelled(const json& input, const node_shape& shape) {
    return shape.labels.contains(input.value("gpu_label", ""));
}

std::int64_t now_of(const json& input) { return case_time_ms(input.value("now", json(0))); }

differences check_utilization(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const node on = node_of(input.at("node"), input.value("pods", json::array()), now_of(input));
    options rules;
    rules.ignore_daemon_sets = input.value("skip_daemonsets", false);
    rules.ignore_mirror_pods = input.value("skip_mirror", false);
    rules.strict = is_strict(test_case);
    const auto got = utilization_of(on.shape, is_labelled(input, on.shape), on.pods, now_of(input), rules);
    if (!got) return compare_case(test_case, {{"error", true}});
    return compare_case(test_case, {{"utilization", got->value}, {"resource", got->resource}});
}

// A mark of the node, which cases set in it or beside it.
bool says(const json& input, const char* mark) {
    return input.value(mark, false) || input.at("node").value(mark, false);
}

bool is_annotated(const json& object) {
    return object.value("annotations", json::object())
               .value("cluster-autoscaler.kubernetes.io/scale-down-disabled", "") == "true";
}

bool of_no_pool(const json& input) {
    for (const json* entry : {&input, &input.at("node")}) {
        if (!entry->value("in_pool", true) || (entry->contains("pool") && entry->at("pool").is_null())) return true;
    }
    return false;
}

differences check_eligibility(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const json given = input.value("options", json::object());
    json written = input.at("node");
    const bool annotated = says(input, "annotated") || is_annotated(input) || is_annotated(written);
    const bool deleting = says(input, "deleting") || says(input, "being_deleted");
    for (const char* beside : {"annotated", "deleting", "being_deleted", "in_pool", "pool"}) written.erase(beside);
    node on = node_of(written, input.value("pods", json::array()), now_of(input));
    on.keep = on.keep || annotated;
    on.deleting = deleting;
    on.pool = of_no_pool(input) ? "" : "pool";
    options rules;
    rules.strict = is_strict(test_case);
    rules.ignore_daemon_sets = given.value("ignore_ds", false);
    rules.ignore_mirror_pods = given.value("ignore_mirror", false);
    rules.utilization_threshold = given.value("util_threshold", rules.utilization_threshold);
    rules.gpu_utilization_threshold = given.value("gpu_threshold", rules.gpu_utilization_threshold);
    rules.unready_enabled = given.value("unready_enabled", true);
    const verdict got = eligibility_of(on, is_labelled(input, on.shape), now_of(input), rules);
    return compare_case(test_case, std::string(stay_name(got.why)));
}

differences check_removable(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const auto ms = [&](const char* member) { return input.at(member).get<std::int64_t>() * 1000; };
    unneeded_node node;
    node.ready = input.value("ready", true);
    node.keep = input.value("annotated", false);
    node.since_ms = case_time_ms(input.at("since"));
    node.pool_min = input.at("min").get<std::int64_t>();
    node.pool_size = input.at("size").get<std::int64_t>();
    node.pool_deletions = input.value("ongoing", std::int64_t{0});
    options rules;
    rules.unneeded_ms = ms("unneeded_s");
    rules.unready_ms = ms("unready_s");
    const stay got = why_stay(node, now_of(input), rules);
    return compare_case(test_case, std::string(stay_name(got)));
}

json removals_json(const removals& of) { return {{"empty", of.empty}, {"drain", of.drain}}; }

removals removals_of(const json& input) {
    return {input.value("empty", std::int64_t{0}), input.value("drain", std::int64_t{0})};
}

// Returns how many nodes the pool's minimum lets go, empty ones first.  A plan counts the pool down node by node instead (why_stay).
// Worked: 3 empty and 5 to drain, 5 nodes of at least 1, 2 going already: 2 may go, both of them empty.
removals above_minimum(const removals& wanted, std::int64_t min, std::int64_t size, std::int64_t deletions) {
    const std::int64_t buffer = std::max<std::int64_t>(0, size - deletions - min);
    const std::int64_t empty = std::min(wanted.empty, buffer);
    return {empty, std::min(wanted.drain, buffer - empty)};
}

differences check_counts(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    return compare_case(test_case, removals_json(above_minimum(removals_of(input), input.at("min").get<std::int64_t>(),
                                                               input.at("size").get<std::int64_t>(),
                                                               input.value("ongoing", std::int64_t{0}))));
}

differences check_budget(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    options rules;
    rules.max_removals = input.value("max", rules.max_removals);
    rules.max_drains = input.value("max_drain", rules.max_drains);
    const removals in_progress{input.value("e_prog", std::int64_t{0}), input.value("d_prog", std::int64_t{0})};
    return compare_case(test_case, removals_json(within_budget(removals_of(input), in_progress, rules)));
}

differences check_removal(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const json given = input.value("options", json::object());
    std::vector<node> all;
    std::map<std::string, std::uint32_t> positions;
    for (const auto& [name, written] : input.at("nodes").items()) {
        positions[name] = static_cast<std::uint32_t>(all.size());
        all.push_back(node_of(written, written.value("pods", json::array()), now_of(input)));
        all.back().name = name;
    }
    options rules;
    rules.skip_local_storage = given.value("skip_local_storage", rules.skip_local_storage);
    rules.skip_system_pods = given.value("skip_system_pods", rules.skip_system_pods);
    rules.skip_custom_controller_pods = given.value("skip_custom_controller_pods", rules.skip_custom_controller_pods);
    rules.min_replica_count = given.value("min_replica_count", rules.min_replica_count);
    std::vector<const node*> nodes;
    for (const node& each : all) nodes.push_back(&each);
    removal_simulation simulation(std::move(nodes), std::vector<bool>(all.size(), true), rules,
                                  given.value("pdb", disruption_budgets()), now_of(input));
    json got = json::object();
    for (const json& name : input.at("order"))
        got[name.get<std::string>()] = removal_name(simulation.remove(positions.at(name.get<std::string>())));
    return compare_case(test_case, got);
}

differences check_gpu_ready(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const node on = node_of(input.at("node"), json::array());
    return compare_case(test_case, is_ready(on, is_labelled(input, on.shape), is_strict(test_case)));
}

differences check_cooldown(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    past_actions past;
    if (input.contains("last_add")) past.add_ms = case_time_ms(input.at("last_add"));
    if (input.contains("last_delete")) past.delete_ms = case_time_ms(input.at("last_delete"));
    for (const char* name : {"last_failure", "last_fail"}) {
        if (input.contains(name)) past.failure_ms = case_time_ms(input.at(name));
    }
    return compare_case(test_case, paused_until(past, now_of(input), {}).has_value());
}

differences check_health(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    return compare_case(test_case,
                        is_healthy(input.at("unready").get<std::int64_t>(), input.at("total").get<std::int64_t>(), {}));
}

const registration utilizations{"node-estimate", {"utilization"}, &check_utilization};
const registration candidates{"node-estimate", {"eligibility"}, &check_eligibility};
const registration timing{"node-estimate", {"removable"}, &check_removable};
const registration counts{"node-estimate", {"removable_counts"}, &check_counts};
const registration budgets{"node-estimate", {"budget"}, &check_budget};
const registration simulated{"node-estimate", {"removal"}, &check_removal};
const registration readiness{"node-estimate", {"gpu_ready"}, &check_gpu_ready};
const registration pauses{"node-estimate", {"cooldown"}, &check_cooldown};
const registration health{"node-estimate", {"health"}, &check_health};

}  // namespace
}  // namespace conformance::node_scale_down
