// node-estimate: fit, packing, limits, sharing, similar pools, and the whole decision to scale up.
#include "inside/node_values.hpp"
#include "nodes/growth.hpp"
#include "nodes/hardware.hpp"
#include "nodes/plan.hpp"

#include <algorithm>

namespace conformance::node_scale_up {
namespace {

using namespace gputide::nodes;

packing_order order_of(const json& input) {
    return input.value("order", "ca") == "gpu" ? packing_order::gpu : packing_order::ca;
}

struct case_groups {
    std::vector<pod> pods;
    std::vector<pod_count> counts;
};

case_groups groups_of(const json& list) {
    case_groups out;
    for (const json& entry : list) out.pods.push_back(pod_of(entry.at("pod")));
    for (std::size_t i = 0; i < list.size(); ++i)
        out.counts.push_back({&out.pods[i].placement, list[i].at("count").get<std::int64_t>()});
    return out;
}

differences check_estimate(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const case_groups groups = groups_of(input.at("groups"));
    const estimate got = estimate_nodes(groups.counts, shape_of(input.at("template")), order_of(input),
                                        input.value("max_nodes", std::int64_t{0}));
    json by_group = json::object();
    for (std::size_t i = 0; i < groups.counts.size(); ++i)
        by_group[input.at("groups")[i].at("name").get<std::string>()] = got.by_group[i];
    return compare_case(test_case, {{"nodes", got.nodes.size()}, {"pods", got.pods}, {"by_group", by_group}});
}

differences check_order(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const case_groups groups = groups_of(input.at("groups"));
    json names = json::array();
    for (const std::uint32_t number : packing_sequence(groups.counts, shape_of(input.at("template")), order_of(input)))
        names.push_back(input.at("groups")[number].at("name"));
    return compare_case(test_case, names);
}

// Ports and amounts in use stand beside the node or in it.
json beside(const json& input, const char* member) {
    if (input.contains(member)) return input.at(member);
    return input.at("node").value(member, json());
}

differences check_fit(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const json& written = input.at("node");
    const node on = node_of(written, written.value("pods", json::array()));
    occupied taken = taken_by(on.pods);
    if (const json used = beside(input, "used"); used.is_object()) taken.used.add(amounts_of(used));
    if (const json ports = beside(input, "ports"); ports.is_array())
        taken.ports = pod_of({{"ports", ports}}).placement.ports;
    json codes = json::array();
    for (const reason& each : why_not(pod_of(input.at("pod")).placement, on.shape, taken, on.name))
        codes.push_back(code_of(each));
    return compare_case(test_case, codes);
}

differences check_advertise(const json& test_case, const json&) {
    const node_shape shape = shape_of({{"allocatable", {{"cpu", 1}}}, {"gpu", test_case.at("input").at("gpu")}});
    json offers = json::object();
    for (const resource& each : advertised(*shape.gpu)) offers[each.name] = each.amount;
    return compare_case(test_case, offers);
}

differences check_min_limit(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    return compare_case(test_case,
                        combine_limits(input.at("base").get<std::int64_t>(), input.at("target").get<std::int64_t>()));
}

differences check_limiter(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    node_limiter limiter(combine_limits(input.at("thresholds").get<std::vector<std::int64_t>>()));
    json answers = json::array();
    for (int i = 0; i < input.at("asks").get<int>(); ++i) answers.push_back(limiter.may_add());
    return compare_case(test_case, answers);
}

pool_size size_of(const json& object) {
    return {object.at("size").get<std::int64_t>(), object.at("max").get<std::int64_t>()};
}

differences check_pool_capacity(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    std::vector<pool_size> similar;
    for (const json& each : input.value("similar", json::array())) similar.push_back(size_of(each));
    return compare_case(test_case, pool_headroom(size_of(input.at("group")), similar));
}

differences check_cluster_capacity(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    return compare_case(test_case,
                        cluster_headroom(input.at("max").get<std::int64_t>(), input.at("current").get<std::int64_t>()));
}

differences check_balance(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const json& groups = input.at("groups");
    std::vector<pool_size> pools;
    for (const json& each : groups) pools.push_back(size_of(each));
    const std::vector<std::int64_t> sizes = balanced_sizes(pools, input.at("new").get<std::int64_t>());
    json changed = json::object();
    std::vector<std::int64_t> sorted;
    for (std::size_t i = 0; i < pools.size(); ++i) {
        if (sizes[i] == pools[i].size) continue;
        changed[groups[i].at("id").get<std::string>()] = sizes[i];
        sorted.push_back(sizes[i]);
    }
    std::sort(sorted.begin(), sorted.end());
    return compare_case(test_case, input.value("sorted_sizes", false) ? json(sorted) : changed);
}

differences check_similar(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    options how;
    how.azure = input.value("provider", "azure") == "azure";
    return compare_case(test_case, are_similar(shape_of(input.at("a")), shape_of(input.at("b")), how));
}

differences check_backoff(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const auto ms = [&](const char* member) { return input.at(member).get<std::int64_t>() * 1000; };
    options rules;
    rules.backoff_initial_ms = ms("initial_s");
    rules.backoff_max_ms = ms("max_s");
    rules.backoff_reset_ms = ms("reset_s");
    backoffs all;
    json answers = json::array();
    for (const json& op : input.at("ops")) {
        const std::string what = op[0].get<std::string>();
        const std::string pool = op[1].is_string() ? op[1].get<std::string>() : std::string();
        if (what == "fail") note_failure(all, pool, case_time_ms(op[2]), rules);
        if (what == "q") answers.push_back(is_backed_off(all, pool, case_time_ms(op[2])));
        if (what == "stale") forget_old(all, case_time_ms(op[1]), rules);
        if (what == "drop") all.erase(pool);
    }
    return compare_case(test_case, answers);
}

const registration estimates{"node-estimate", {"estimate"}, &check_estimate};
const registration orders{"node-estimate", {"order"}, &check_order};
const registration fits{"node-estimate", {"fit"}, &check_fit};
const registration advertising{"node-estimate", {"advertise"}, &check_advertise};
const registration min_limits{"node-estimate", {"min_limit"}, &check_min_limit};
const registration limiters{"node-estimate", {"limiter"}, &check_limiter};
const registration pool_capacities{"node-estimate", {"sng_capacity"}, &check_pool_capacity};
const registration cluster_capacities{"node-estimate", {"cluster_capacity"}, &check_cluster_capacity};
const registration balances{"node-estimate", {"balance"}, &check_balance};
const registration similar_pools{"node-estimate", {"similar"}, &check_similar};
const registration backing_off{"node-estimate", {"backoff"}, &check_backoff};

}  // namespace
}  // namespace conformance::node_scale_up
