// Runs the steps of the simulation: each adds costs, changes the replicas, makes a plan, and carries it out.
#include "replay/nodes/simulation.hpp"

#include "common/log.hpp"
#include "common/text.hpp"
#include "common/times.hpp"
#include "gputide/gputide.hpp"

#include <algorithm>
#include <limits>

namespace gputided {

namespace {

constexpr std::int64_t hour_ms = 3'600'000;
constexpr const char* group = "replica";

std::int64_t integer(const json& from, const char* name) { return from.value(name, std::int64_t{0}); }

const json& pool_named(const json& cluster, const std::string& id) {
    const json& pools = cluster.at("pools");
    return *std::ranges::find_if(pools, [&](const json& pool) { return pool.at("id") == id; });
}

bool may_go(const json& node) { return node.at("reason") == "NoReason" && node.contains("removal"); }

void check_cluster(const json& cluster) {
    if (!cluster.is_object() || !cluster.contains("pools") || !cluster.at("pools").is_array() ||
        !cluster.contains("pod"))
        throw usage_error("--pools: expected JSON with pools, and with pod, the requests of one replica");
    for (const json& pool : cluster.at("pools")) {
        if (!pool.is_object() || !pool.value("id", json()).is_string())
            throw usage_error("--pools: each pool is an object with an id");
    }
}

bool is_gpu(const std::string& resource) { return resource.rfind("nvidia.com/", 0) == 0 || resource == "amd.com/gpu"; }

double gpus_of(const json& offers) {
    double out = 0.0;
    for (const auto& [name, amount] : offers.items()) out += is_gpu(name) ? amount.get<double>() : 0.0;
    return out;
}

std::int64_t delay_ms(const json& pool) { return static_cast<std::int64_t>(pool.value("delay_s", 0.0) * 1000.0); }

}  // namespace

std::int64_t longest_delay_ms(const json& cluster) {
    check_cluster(cluster);
    std::int64_t out = 0;
    for (const json& pool : cluster.at("pools")) {
        const json seconds = pool.value("delay_s", json(0));
        if (!seconds.is_number()) throw usage_error("--pools: delay_s is a number of seconds, got " + seconds.dump());
        out = std::max(out, delay_ms(pool));
    }
    return out;
}

node_simulation::node_simulation(json cluster, std::int64_t step) : cluster_(std::move(cluster)), step_ms_(step) {
    check_cluster(cluster_);
    for (json& pool : cluster_["pools"]) pool["size"] = integer(pool, "min");  // pools start with their minimum
}

std::int64_t node_simulation::size_of(const std::string& pool) const {
    return std::ranges::count_if(nodes_, [&](const auto& entry) { return entry.second.pool == pool; });
}

std::int64_t node_simulation::waiting_pods() const {
    return std::ranges::count_if(pods_, [](const pod_state& waiting) { return waiting.node.empty(); });
}

void node_simulation::note_change(std::int64_t now_ms, const std::string& text) {
    changes_.push_back({{"time_ms", now_ms}, {"text", text}});
    changed_ = true;
}

// Adds the minimum of each pool; these nodes are ready from the start.
void node_simulation::begin(std::int64_t now_ms) {
    for (const json& pool : cluster_.at("pools")) add_nodes(pool.at("id"), integer(pool, "min"), now_ms, now_ms);
}

void node_simulation::add_nodes(const std::string& pool, std::int64_t count, std::int64_t now_ms,
                                std::int64_t ready_ms) {
    for (std::int64_t i = 0; i < count; ++i) nodes_[pool + "-" + std::to_string(++created_)] = {pool, now_ms, ready_ms};
}

void node_simulation::step(std::int64_t now_ms, std::int64_t replicas) {
    add_costs(now_ms);
    resize(now_ms, replicas);
    if (last_ms_ == 0) begin(now_ms);
    last_ms_ = now_ms;
    changed_ = false;
    const json plan = next_plan(now_ms);
    for (const json& pool : plan.at("pools")) offers_[pool.at("id")] = pool.at("offers");
    place(plan, now_ms);
    shrink(plan, now_ms);
    grow(plan, now_ms);
    for (const json& pool : plan.at("pools")) {
        std::int64_t& max_nodes = sums_[text_at(pool, "id")].max_nodes;
        max_nodes = std::max(max_nodes, size_of(pool.at("id")));
    }
    next_ms_ = changed_ ? now_ms + step_ms_ : next_after(plan, now_ms);
}

// Returns the next time at which a node becomes ready, late or removable, or a pause ends.
std::int64_t node_simulation::next_after(const json& plan, std::int64_t now_ms) const {
    constexpr std::int64_t late_ms = std::int64_t{15} * 60'000;  // default of max-node-startup-time
    std::int64_t out = std::numeric_limits<std::int64_t>::max();
    const auto look_at = [&](std::int64_t time_ms) { out = std::min(out, std::max(time_ms, now_ms + step_ms_)); };
    for (const auto& [name, node] : nodes_) {
        if (node.ready_ms <= now_ms) continue;
        look_at(node.ready_ms);
        look_at(node.created_ms + late_ms);
    }
    for (const json& node : plan.at("nodes")) {
        if (node.contains("removable_at_ms")) look_at(integer_at(node, "removable_at_ms") + 1);
    }
    if (plan.at("scale_down").contains("paused_until_ms"))
        look_at(integer_at(plan.at("scale_down"), "paused_until_ms"));
    return out;
}

// Adds the costs since the last step.
void node_simulation::add_costs(std::int64_t now_ms) {
    if (last_ms_ == 0) return;
    const double hours = static_cast<double>(now_ms - last_ms_) / static_cast<double>(hour_ms);
    for (const auto& [name, node] : nodes_) {
        pool_sums& sums = sums_[node.pool];
        sums.hours += hours;
        sums.gpu_hours += hours * gpus_of(offers_[node.pool]);
        sums.cost += hours * pool_named(cluster_, node.pool).value("price_per_hour", 0.0);
    }
    waiting_minutes_ += static_cast<double>(waiting_pods()) * hours * 60.0;
}

// Changes the number of pods.  Removes waiting pods first, then the newest.
void node_simulation::resize(std::int64_t now_ms, std::int64_t replicas) {
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(replicas, 0));
    std::stable_partition(pods_.begin(), pods_.end(), [](const pod_state& placed) { return !placed.node.empty(); });
    if (pods_.size() > wanted) pods_.resize(wanted);
    while (pods_.size() < wanted) pods_.push_back({"", now_ms});
}

json node_simulation::node_json(const std::string& name, const node_state& here, std::int64_t now_ms) const {
    const json& pool = pool_named(cluster_, here.pool);
    json out{{"name", name}, {"pool", here.pool}, {"ready", here.ready_ms <= now_ms}, {"created_ms", here.created_ms}};
    for (const char* member : {"allocatable", "capacity", "labels", "taints", "gpu"}) {
        if (pool.contains(member)) out[member] = pool[member];
    }
    if (const auto offers = offers_.find(here.pool); !out.contains("allocatable") && offers != offers_.end())
        out["allocatable"] = offers->second;
    json& pods = out["pods"] = json::array();
    for (std::size_t i = 0; i < pods_.size(); ++i) {
        if (pods_[i].node != name) continue;
        json pod = cluster_.at("pod");
        pod["name"] = group + std::to_string(i);
        pods.push_back(std::move(pod));
    }
    return out;
}

json node_simulation::next_plan(std::int64_t now_ms) {
    json text = cluster_;
    text.erase("pod");
    for (json& pool : text["pools"]) pool["size"] = size_of(pool.at("id"));
    text["nodes"] = json::array();
    for (const auto& [name, node] : nodes_) text["nodes"].push_back(node_json(name, node, now_ms));
    text["groups"] = json::array();
    if (const auto waiting = waiting_pods(); waiting > 0)
        text["groups"].push_back({{"name", group}, {"count", waiting}, {"pod", cluster_.at("pod")}});
    text["events"] = std::exchange(events_, json::array());
    gputide::nodes_plan plan = gputide::plan_nodes(text.dump(), state_, now_ms);
    if (plan.summary.errors > 0) {
        const json findings = json::parse(plan.json).at("findings").at("findings");
        throw usage_error("--pools: " + finding_text(findings.front()));
    }
    state_ = std::move(plan.state);
    json out = json::parse(plan.json);
    note_warnings(out.at("findings").at("findings"));
    return out;
}

// Keeps warnings about the file of --pools; those about simulated nodes and pods are useless.
void node_simulation::note_warnings(const json& findings) {
    constexpr std::string_view pod_path = "groups[0].";
    for (json found : findings) {
        std::string path = found.at("path");
        if (found.at("severity") != "warning" || path.starts_with("nodes[")) continue;
        if (path.starts_with(pod_path)) found["path"] = path.substr(pod_path.size());
        warnings_.insert(finding_text(found));
    }
}

// Places pods on ready nodes as the plan says.  A pod for a node that is not ready waits.
void node_simulation::place(const json& plan, std::int64_t now_ms) {
    for (const json& planned : plan.at("groups")) {
        for (const auto& [name, count] : planned.at("on_nodes").items()) {
            const auto at = nodes_.find(name);
            if (at == nodes_.end() || at->second.ready_ms > now_ms) continue;
            std::int64_t left = count.get<std::int64_t>();
            for (pod_state& pod : pods_) {
                if (left == 0 || !pod.node.empty()) continue;
                pod.node = name;
                changed_ = true;
                longest_minutes_ = std::max(longest_minutes_, static_cast<double>(now_ms - pod.since_ms) / 60'000.0);
                --left;
            }
        }
    }
}

void node_simulation::grow(const json& plan, std::int64_t now_ms) {
    for (const json& pass : plan.at("scale_up").at("passes")) {
        for (const json& growth : pass.at("increases")) {
            const std::string pool = growth.at("pool");
            const std::int64_t more = integer_at(growth, "to") - integer_at(growth, "from");
            const std::int64_t ready_ms = now_ms + delay_ms(pool_named(cluster_, pool));
            add_nodes(pool, more, now_ms, ready_ms);
            events_.push_back({{"kind", "added"}, {"pool", pool}, {"nodes", more}, {"time_ms", now_ms}});
            note_change(now_ms, pool + " " + growth.at("from").dump() + " -> " + growth.at("to").dump() + ": for " +
                                    counted(pass.at("placed").value(group, std::int64_t{0}), "waiting pod"));
        }
    }
}

void node_simulation::shrink(const json& plan, std::int64_t now_ms) {
    std::map<std::string, removals> pools;
    for (const json& node : plan.at("nodes")) {
        if (!may_go(node)) continue;
        remove_node(node, now_ms);
        const std::string reason =
            text_at(node, "removal") + ", unneeded since " + time_text(integer_at(node, "unneeded_since_ms"));
        pools[node.at("pool")][reason].push_back(node.at("name"));
    }
    for (const auto& [pool, removed] : pools) note_removals(pool, removed, now_ms);
}

// Removes a node and moves its replicas as the plan says.  A replica that was placed after the plan was made waits again.
void node_simulation::remove_node(const json& planned, std::int64_t now_ms) {
    const std::string name = planned.at("name");
    for (const auto& [replica, target] : planned.at("moves").items()) {
        const std::size_t at = std::stoul(replica.substr(std::string(group).size()));
        if (at < pods_.size()) pods_[at].node = target.get<std::string>();
    }
    for (pod_state& pod : pods_) {
        if (pod.node == name) pod = {"", now_ms};
    }
    nodes_.erase(name);
}

// Notes the removals of a pool.  Its nodes are already removed, so the first line starts with the earlier size.
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
    json pools = json::array();
    pool_sums all;
    for (const auto& [id, sums] : sums_) {
        pools.push_back({{"id", id},
                         {"most", sums.max_nodes},
                         {"node_hours", sums.hours},
                         {"gpu_hours", sums.gpu_hours},
                         {"cost", sums.cost}});
        all.hours += sums.hours;
        all.gpu_hours += sums.gpu_hours;
        all.cost += sums.cost;
    }
    return {{"pools", std::move(pools)},
            {"node_hours", all.hours},
            {"gpu_hours", all.gpu_hours},
            {"cost", all.cost},
            {"waiting_pod_minutes", waiting_minutes_},
            {"longest_wait_minutes", longest_minutes_},
            {"changes", changes_},
            {"warnings", warnings_}};
}

}  // namespace gputided
