#include "inside/node_values.hpp"
#include "nodes/expander.hpp"
#include "nodes/read/objects.hpp"
#include "text/document.hpp"

#include <map>
#include <stdexcept>

namespace conformance {

namespace text = gputide::text;
namespace nodes = gputide::nodes;

namespace {

// Reads a value of our own spelling with the module's reader; an error fails the case.
template <class Read>
auto read_own(const json& written, Read read) {
    text::report findings;
    const std::vector<text::document> documents = text::read_documents("case", written.dump(), findings);
    if (documents.empty()) throw std::runtime_error("not read: " + written.dump());
    const nodes::item_source source{
        {&documents.front().root, &documents.front().file, ""}, nodes::dialect::own, findings};
    auto out = read(nodes::value_reader(source));
    for (const text::finding& finding : findings.findings) {
        if (finding.severity == text::severity::error && finding.code != "missing")
            throw std::runtime_error(text::render(finding));
    }
    return out;
}

}  // namespace

nodes::pod pod_of(const json& object, std::int64_t now_ms) {
    return read_own(own_pod(object, now_ms), nodes::read_pod);
}

nodes::node_shape shape_of(const json& object) {
    json pool = own_shape(object);
    pool["id"] = "template";
    return read_own(pool, nodes::read_pool).shape.value_or(nodes::node_shape{});
}

nodes::node node_of(const json& object, const json& pods, std::int64_t now_ms) {
    json written = own_shape(object);
    for (const char* beside : {"pods", "used", "ports", "daemon_requests"}) written.erase(beside);
    if (!written.contains("name")) written["name"] = "node";
    written["pods"] = json::array();
    for (const json& pod : pods) written["pods"].push_back(own_pod(pod, now_ms));
    return read_own(written, nodes::read_node);
}

nodes::resource_list amounts_of(const json& object) {
    nodes::resource_list out;
    for (const auto& [name, value] : object.items()) {
        if (value.is_number()) out.set(name, value.get<std::int64_t>());
    }
    return out;
}

}  // namespace conformance

// node-estimate: expanders, chains of them, and the parts of the price's score.

namespace conformance::node_expander {
namespace {

using namespace gputide::nodes;

using shapes = std::map<std::string, node_shape>;

// The sum of the pods' prices; nothing where one is not known.
std::optional<double> price_of_pods(const json& pods, const json& prices) {
    double sum = 0.0;
    for (const json& pod : pods) {
        const std::string name = pod.value("name", "");
        if (!prices.contains(name)) return std::nullopt;
        sum += prices.at(name).get<double>();
    }
    return sum;
}

option option_of(const json& object, const json& input, const shapes& known) {
    option out;
    out.pool = object.at("pool").get<std::string>();
    out.nodes = object.at("nodes").get<std::int64_t>();
    out.pods = static_cast<std::int64_t>(object.at("pods").size());
    for (const json& pod : object.at("pods")) out.requested.add(amounts_of(pod));
    out.exists = object.value("exists", true);
    if (const auto found = known.find(out.pool); found != known.end()) out.shape = &found->second;
    const json& written = input.value("templates", json::object()).value(out.pool, json::object());
    if (written.contains("price_per_hour")) out.price_per_hour = written.at("price_per_hour").get<double>();
    if (written.contains("delay_s")) out.delay_ms = written.at("delay_s").get<std::int64_t>() * 1000;
    if (!input.contains("price")) return out;
    const json& price = input.at("price");
    const json nodes = price.value("nodes", json::object());
    out.price_per_hour.reset();
    if (nodes.contains(out.pool)) out.price_per_hour = nodes.at(out.pool).get<double>();
    out.pods_price = price_of_pods(object.at("pods"), price.value("pods", json::object()));
    return out;
}

// A number or pattern that is none spoils the whole configuration, which then keeps every option.
std::vector<priority_rule> priorities_of(const json& input) {
    std::vector<priority_rule> out;
    const json priorities = input.value("priorities", json::object());
    for (const auto& [number, patterns] : priorities.items()) {
        priority_rule rule;
        std::size_t read = 0;
        try {
            rule.number = std::stoll(number, &read);
        } catch (const std::exception&) {
            return {};
        }
        if (read != number.size()) return {};
        for (const json& text : patterns) {
            auto compiled = gputide::pattern::compile(text.get<std::string>(), gputide::pattern::dot::not_newline);
            if (!compiled) return {};
            rule.pools.push_back(*std::move(compiled));
        }
        out.push_back(std::move(rule));
    }
    return out;
}

preference preference_of(const json& input, std::span<const priority_rule> priorities = {}) {
    preference out;
    out.priorities = priorities;
    out.preferred_cpu_milli = input.value("preferred_cpu", std::int64_t{1000});
    out.stabilization_price =
        input.value("price", json::object()).value("pods", json::object()).value("stabilize", 0.0);
    return out;
}

json without_costs(json object) {
    object.erase("price_per_hour");
    object.erase("delay_s");
    return object;
}

differences check_expander(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    shapes known;
    const json templates = input.value("templates", json::object());
    for (const auto& [id, written] : templates.items()) known[id] = shape_of(without_costs(written));
    std::vector<expander> chain;
    for (const json& name : input.at("chain")) {
        const std::optional<expander> known_name = parse_expander(name.get<std::string>());
        if (!known_name) throw std::runtime_error("unknown expander " + name.dump());
        chain.push_back(*known_name);
    }
    std::vector<option> options;
    for (const json& each : input.at("options")) options.push_back(option_of(each, input, known));
    json left = json::array();
    const std::vector<priority_rule> priorities = priorities_of(input);
    for (const option& each : run_chain(chain, std::move(options), preference_of(input, priorities)))
        left.push_back(each.pool);
    return compare_case(test_case, left);
}

differences check_price_score(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const std::string pool = input.at("option").at("pool").get<std::string>();
    const shapes known{{pool, shape_of(without_costs(input.at("template")))}};
    const std::optional<double> score = price_score(option_of(input.at("option"), input, known), preference_of(input));
    return compare_case(test_case, score ? json(*score) : json());
}

differences check_preferred(const json& test_case, const json&) {
    return compare_case(test_case, preferred_cpu_milli(test_case.at("input").at("cluster_nodes").get<std::int64_t>()));
}

differences check_unfitness(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    return compare_case(test_case, unfitness(input.at("a").get<double>(), input.at("b").get<double>()));
}

const registration expanders{"node-estimate", {"expander"}, &check_expander};
const registration scores{"node-estimate", {"price_score"}, &check_price_score};
const registration preferred_nodes{"node-estimate", {"preferred"}, &check_preferred};
const registration unfit{"node-estimate", {"unfitness"}, &check_unfitness};

}  // namespace
}  // namespace conformance::node_expander
