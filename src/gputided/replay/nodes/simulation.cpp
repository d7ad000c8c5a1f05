// Moment by moment: pay, resize, ask for a plan, carry it out.
#include "replay/nodes/simulation.hpp"

#include "common/exit_status.hpp"
#include "common/text.hpp"
#include "common/times.hpp"
#include "gputide/gputide.hpp"

#include <algorithm>
#include <limits>

namespace gputided {
namespace {

using nlohmann::json;

constexpr std::int64_t hour_ms = 3'600'000;
constexpr const char* group = "replica";

std::int64_t integer(const json& from, const char* name) { return from.value(name, std::int64_t{0}); }

const json& pool_named(const json& cluster, const std::string& id) {
    const json& pools = cluster.at("pools");
    return *std::find_if(pools.begin(), pools.end(), [&](const json& one) { return one.at("id") == id; });
}

bool may_go(const json& node) { return node.at("reason") == "NoReason" && node.contains("removal"); }

void check_cluster(const json& cluster) {
    if (!cluster.is_object() || !cluster.contains("pools") || !cluster.at("pools").is_array() ||
        !cluster.contains("pod"))
        throw usage_error("--pools: expected JSON with pools, and with pod: what one replica asks for");
    for (const json& one : cluster.at("pools")) {
        if (!one.is_object() || !one.value("id", json()).is_string())
            throw usage_error("--pools: each pool is an object with an id");
    }
}

std::int64_t delay_ms(const json& pool) { return static_cast<std::int64_t>(pool.value("delay_s", 0.0) * 1000.0); }

}  // namespace

std::int64_t longest_delay_ms(const json& cluster) {
    check_cluster(cluster);
    std::int64_t out = 0;
    for (const json& one : cluster.at("pools")) {
        const json seconds = one.value("delay_s", json(0));
        if (!seconds.is_number()) throw usage_error("--pools: delay_s is a number of seconds, got " + seconds.dump());
        out = std::max(out, delay_ms(one));
    }
    return out;
}

node_simulation::node_simulation(json cluster, std::int64_t step) : cluster_(std::move(cluster)), step_ms_(step) {
    check_cluster(cluster_);
    for (json& one : cluster_["pools"]) one["size"] = integer(one, "min");  // the day begins with what they keep anyway
}

std::int64_t node_simulation::size_of(const std::string& pool) const {
    return std::count_if(nodes_.begin(), nodes_.end(), [&](const auto& one) { return one.second.pool == pool; });
}

std::int64_t node_simulation::waiting_pods() const {
    return std::count_if(pods_.begin(), pods_.end(), [](const pod& one) { return one.node.empty(); });
}

void node_simulation::note_change(std::int64_t now_ms, const std::string& text) {
    changes_.push_back({{"time_ms", now_ms}, {"text", text}});
    changed_ = true;
}

// With what the pools keep anyway, ready from the start.
void node_simulation::begin(std::int64_t now_ms) {
    for (const json& one : cluster_.at("pools")) add_nodes(one.at("id"), integer(one, "min"), now_ms, now_ms);
}

void node_simulation::add_nodes(const std::string& pool, std::int64_t count, std::int64_t now_ms,
                                std::int64_t ready_ms) {
    for (std::int64_t i = 0; i < count; ++i) nodes_[pool + "-" + std::to_string(++created_)] = {pool, now_ms, ready_ms};
}

void node_simulation::step(std::int64_t now_ms, std::int64_t replicas) {
    pay(now_ms);
    resize(now_ms, replicas);
    if (last_ms_ == 0) begin(now_ms);
    last_ms_ = now_ms;
    changed_ = false;
    const json plan = next_plan(now_ms);
    for (const json& pool : plan.at("pools")) offers_[pool.at("id")] = pool.at("offers");
    place(plan, now_ms);
    shrink(plan, now_ms);
    grow(plan, now_ms);
    for (const json& pool : plan.at("pools")) costs_.note_size(pool.at("id"), size_of(pool.at("id")));
    next_ms_ = changed_ ? now_ms + step_ms_ : next_after(plan, now_ms);
}

// A node becomes ready or is late, may go, or what pauses it is over.
std::int64_t node_simulation::next_after(const json& plan, std::int64_t now_ms) const {
    // max-node-startup-time, unless the options say another
    constexpr std::int64_t late_ms = std::int64_t{15} * 60'000;
    std::int64_t out = std::numeric_limits<std::int64_t>::max();
    const auto look_at = [&](std::int64_t time_ms) { out = std::min(out, std::max(time_ms, now_ms + step_ms_)); };
    for (const auto& [name, one] : nodes_) {
        if (one.ready_ms <= now_ms) continue;
        look_at(one.ready_ms);
        look_at(one.created_ms + late_ms);
    }
    for (const json& one : plan.at("nodes")) {
        if (one.contains("removable_at_ms")) look_at(one.at("removable_at_ms").get<std::int64_t>() + 1);
    }
    if (plan.at("scale_down").contains("paused_until_ms"))
        look_at(plan.at("scale_down").at("paused_until_ms").get<std::int64_t>());
    return out;
}

// What was there since the last moment.
void node_simulation::pay(std::int64_t now_ms) {
    if (last_ms_ == 0) return;
    const double hours = static_cast<double>(now_ms - last_ms_) / static_cast<double>(hour_ms);
    for (const auto& [name, one] : nodes_) costs_.add(pool_named(cluster_, one.pool), offers_[one.pool], hours);
    waiting_minutes_ += static_cast<double>(waiting_pods()) * hours * 60.0;
}

// Pods that wait are dropped first, then the newest.
void node_simulation::resize(std::int64_t now_ms, std::int64_t replicas) {
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(replicas, 0));
    std::stable_partition(pods_.begin(), pods_.end(), [](const pod& one) { return !one.node.empty(); });
    if (pods_.size() > wanted) pods_.resize(wanted);
    while (pods_.size() < wanted) pods_.push_back({"", now_ms});
}

json node_simulation::node_json(const std::string& name, const node& one, std::int64_t now_ms) const {
    const json& pool = pool_named(cluster_, one.pool);
    json out{{"name", name}, {"pool", one.pool}, {"ready", one.ready_ms <= now_ms}, {"created_ms", one.created_ms}};
    for (const char* member : {"allocatable", "capacity", "labels", "taints", "gpu"}) {
        if (pool.contains(member)) out[member] = pool[member];
    }
    if (const auto offers = offers_.find(one.pool); !out.contains("allocatable") && offers != offers_.end())
        out["allocatable"] = offers->second;
    json& pods = out["pods"] = json::array();
    for (std::size_t i = 0; i < pods_.size(); ++i) {
        if (pods_[i].node != name) continue;
        json each = cluster_.at("pod");
        each["name"] = group + std::to_string(i);
        pods.push_back(std::move(each));
    }
    return out;
}

json node_simulation::next_plan(std::int64_t now_ms) {
    json text = cluster_;
    text.erase("pod");
    for (json& one : text["pools"]) one["size"] = size_of(one.at("id"));
    text["nodes"] = json::array();
    for (const auto& [name, one] : nodes_) text["nodes"].push_back(node_json(name, one, now_ms));
    text["groups"] = json::array();
    if (const auto waiting = waiting_pods(); waiting > 0)
        text["groups"].push_back({{"name", group}, {"count", waiting}, {"pod", cluster_.at("pod")}});
    text["events"] = std::exchange(events_, json::array());
    gputide::nodes_plan plan = gputide::plan_nodes(text.dump(), state_, now_ms);
    if (plan.summary.errors > 0) {
        const json findings = json::parse(plan.json).at("findings").at("findings");
        throw usage_error("--pools: " + findings.front().at("path").get<std::string>() + ": " +
                          findings.front().at("message").get<std::string>());
    }
    state_ = std::move(plan.state);
    json out = json::parse(plan.json);
    note_warnings(out.at("findings").at("findings"));
    return out;
}

// What the plan says of the file of --pools; of the nodes and pods that are made up here nobody can mend anything.
void node_simulation::note_warnings(const json& findings) {
    constexpr std::string_view pod_path = "groups[0].";
    for (const json& one : findings) {
        std::string path = one.at("path");
        if (one.at("severity") != "warning" || path.starts_with("nodes[")) continue;
        if (path.starts_with(pod_path)) path.erase(0, pod_path.size());
        const std::string remedy = one.at("remedy");
        warnings_.insert(path + ": " + one.at("message").get<std::string>() + (remedy.empty() ? "" : ": " + remedy));
    }
}

// Pods go where the plan has room for them, on nodes that are ready; those that have room on a node which is on its way wait for
// it.
void node_simulation::place(const json& plan, std::int64_t now_ms) {
    for (const json& one : plan.at("groups")) {
        for (const auto& [name, count] : one.at("on_nodes").items()) {
            const auto at = nodes_.find(name);
            if (at == nodes_.end() || at->second.ready_ms > now_ms) continue;
            std::int64_t left = count.get<std::int64_t>();
            for (pod& each : pods_) {
                if (left == 0 || !each.node.empty()) continue;
                each.node = name;
                changed_ = true;
                longest_minutes_ = std::max(longest_minutes_, static_cast<double>(now_ms - each.since_ms) / 60'000.0);
                --left;
            }
        }
    }
}

void node_simulation::grow(const json& plan, std::int64_t now_ms) {
    for (const json& pass : plan.at("scale_up").at("passes")) {
        for (const json& one : pass.at("increases")) {
            const std::string pool = one.at("pool");
            const std::int64_t more = one.at("to").get<std::int64_t>() - one.at("from").get<std::int64_t>();
            const std::int64_t ready_ms = now_ms + delay_ms(pool_named(cluster_, pool));
            add_nodes(pool, more, now_ms, ready_ms);
            events_.push_back({{"kind", "added"}, {"pool", pool}, {"nodes", more}, {"time_ms", now_ms}});
            note_change(now_ms, pool + " " + one.at("from").dump() + " -> " + one.at("to").dump() + ": for " +
                                    pass.at("placed").value(group, json(0)).dump() + " that wait");
        }
    }
}

void node_simulation::shrink(const json& plan, std::int64_t now_ms) {
    std::map<std::string, removals> pools;
    for (const json& one : plan.at("nodes")) {
        if (!may_go(one)) continue;
        remove_node(one, now_ms);
        const std::string reason = one.at("removal").get<std::string>() + ", unneeded since " +
                                   time_text(one.at("unneeded_since_ms").get<std::int64_t>());
        pools[one.at("pool")][reason].push_back(one.at("name"));
    }
    for (const auto& [pool, removed] : pools) note_removals(pool, removed, now_ms);
}

// Its replicas move where the plan says; what was placed there a moment ago, and the plan does not know yet, waits again.
void node_simulation::remove_node(const json& planned, std::int64_t now_ms) {
    const std::string name = planned.at("name");
    for (const auto& [replica, target] : planned.at("moves").items()) {
        const std::size_t at = std::stoul(replica.substr(std::string(group).size()));
        if (at < pods_.size()) pods_[at].node = target.get<std::string>();
    }
    for (pod& each : pods_) {
        if (each.node == name) each = {"", now_ms};
    }
    nodes_.erase(name);
}

// The nodes are gone already: the first line begins with how many there were.
void node_simulation::note_removals(const std::string& pool, const removals& removed, std::int64_t now_ms) {
    std::int64_t size = size_of(pool);
    for (const auto& [reason, names] : removed) size += static_cast<std::int64_t>(names.size());
    for (const auto& [reason, names] : removed) {
        const auto count = static_cast<std::int64_t>(names.size());
        events_.push_back({{"kind", "removed"}, {"pool", pool}, {"nodes", count}, {"time_ms", now_ms}});
        std::string line = pool + " " + std::to_string(size) + " -> " + std::to_string(size - count);
        line.append(": ").append(reason).append(": ").append(joined(names, " "));
        note_change(now_ms, line);
        size -= count;
    }
}

json node_simulation::report() const {
    json out = costs_.report();
    out.update({{"waiting_pod_minutes", waiting_minutes_},
                {"longest_wait_minutes", longest_minutes_},
                {"changes", changes_},
                {"warnings", warnings_}});
    return out;
}

}  // namespace gputided
