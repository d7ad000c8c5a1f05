// Simulates nodes for a replay: each replica is a pod, pods without a node increase pools as gputide_nodes_plan says, new nodes
// are ready after their pool's delay, and unneeded nodes are removed.  Costs are costs of nodes, not of replicas.
#include "common/log.hpp"
#include "common/text.hpp"
#include "replay/replay.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace gputided {

namespace {

constexpr std::int64_t node_step_ms = 60'000;
constexpr std::int64_t hour_ms = 3'600'000;
constexpr const char* group = "replica";

std::int64_t integer(const json& from, const char* name) { return from.value(name, std::int64_t{0}); }

const json& pool_named(const json& cluster, const std::string& id) {
    const json& pools = cluster.at("pools");
    return *std::ranges::find_if(pools, [&](const json& pool) { return pool.at("id") == id; });
}

bool is_gpu(const std::string& resource) { return resource.rfind("nvidia.com/", 0) == 0 || resource == "amd.com/gpu"; }

double gpus_of(const json& offers) {
    double out = 0.0;
    for (const auto& [name, amount] : offers.items()) out += is_gpu(name) ? amount.get<double>() : 0.0;
    return out;
}

std::int64_t delay_ms(const json& pool) { return static_cast<std::int64_t>(pool.value("delay_s", 0.0) * 1000.0); }

class node_simulation {
  public:
    // cluster: {"pools":[…],"pod":{…},"options":{…}} as in docs/nodes.md; `pod` has the requests of a replica.
    explicit node_simulation(json cluster) : cluster_(std::move(cluster)) {
        for (json& pool : cluster_["pools"]) pool["size"] = integer(pool, "min");  // pools start with their minimum
    }

    // Runs a step: changes the replicas, places pods, and carries out the plan for this time.
    void step(std::int64_t now_ms, std::int64_t replicas) {
        add_costs(now_ms);
        resize(now_ms, replicas);
        if (last_ms_ == 0) {
            for (const json& pool : cluster_.at("pools"))
                add_nodes(pool.at("id"), integer(pool, "min"), now_ms, now_ms);
        }
        last_ms_ = now_ms;
        changed_ = false;
        const json plan = next_plan(now_ms);
        for (const json& pool : plan.at("pools")) offers_[pool.at("id")] = pool.at("offers");
        place(plan, now_ms);
        shrink(plan, now_ms);
        grow(plan, now_ms);
        for (const json& pool : plan.at("pools")) {
            json& max_nodes = sums_of(pool.at("id"))["most"];
            max_nodes = std::max(max_nodes.get<std::int64_t>(), size_of(pool.at("id")));
        }
        next_ms_ = changed_ ? now_ms + node_step_ms : next_after(plan, now_ms);
    }

    // Returns the next time at which something happens with the same replica count.
    std::int64_t next_ms() const { return next_ms_; }

    // Adds the costs up to this time, and returns the report.  Must be the last call.
    json finish(std::int64_t now_ms) {
        add_costs(now_ms);
        json out{{"pools", json::array()},
                 {"node_hours", 0.0},
                 {"gpu_hours", 0.0},
                 {"cost", 0.0},
                 {"waiting_pod_minutes", waiting_minutes_},
                 {"longest_wait_minutes", longest_minutes_},
                 {"changes", changes_},
                 {"warnings", warnings_}};
        for (const auto& [id, sums] : sums_) {
            for (const char* name : {"node_hours", "gpu_hours", "cost"}) add_to(out, name, number_at(sums, name));
            out["pools"].push_back(sums);
        }
        return out;
    }

  private:
    struct pod_state {
        std::string node;  // "": waiting
        std::int64_t since_ms = 0;
    };
    struct node_state {
        std::string pool;
        std::int64_t created_ms = 0;
        std::int64_t ready_ms = 0;
    };
    using removals = std::map<std::string, std::vector<std::string>>;  // names by reason

    static void add_to(json& sums, const char* name, double more) { sums[name] = number_at(sums, name) + more; }

    // Returns a pool's entry in the report; the cost is in the currency of price_per_hour.
    json& sums_of(const std::string& pool) {
        json& sums = sums_[pool];
        if (sums.is_null()) sums = {{"id", pool}, {"most", 0}, {"node_hours", 0.0}, {"gpu_hours", 0.0}, {"cost", 0.0}};
        return sums;
    }

    // Adds the costs since the last step.
    void add_costs(std::int64_t now_ms) {
        if (last_ms_ == 0) return;
        const double hours = static_cast<double>(now_ms - last_ms_) / static_cast<double>(hour_ms);
        for (const auto& [name, node] : nodes_) {
            json& sums = sums_of(node.pool);
            add_to(sums, "node_hours", hours);
            add_to(sums, "gpu_hours", hours * gpus_of(offers_[node.pool]));
            add_to(sums, "cost", hours * pool_named(cluster_, node.pool).value("price_per_hour", 0.0));
        }
        waiting_minutes_ += static_cast<double>(waiting_pods()) * hours * 60.0;
    }

    void add_nodes(const std::string& pool, std::int64_t count, std::int64_t now_ms, std::int64_t ready_ms) {
        for (std::int64_t i = 0; i < count; ++i)
            nodes_[pool + "-" + std::to_string(++created_)] = {pool, now_ms, ready_ms};
    }

    // Changes the number of pods.  Removes waiting pods first, then the newest.
    void resize(std::int64_t now_ms, std::int64_t replicas) {
        const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(replicas, 0));
        std::stable_partition(pods_.begin(), pods_.end(), [](const pod_state& placed) { return !placed.node.empty(); });
        if (pods_.size() > wanted) pods_.resize(wanted);
        while (pods_.size() < wanted) pods_.push_back({"", now_ms});
    }

    json next_plan(std::int64_t now_ms) {
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
    void note_warnings(const json& findings) {
        constexpr std::string_view pod_path = "groups[0].";
        for (json found : findings) {
            std::string path = found.at("path");
            if (found.at("severity") != "warning" || path.starts_with("nodes[")) continue;
            if (path.starts_with(pod_path)) found["path"] = path.substr(pod_path.size());
            warnings_.insert(finding_text(found));
        }
    }

    json node_json(const std::string& name, const node_state& here, std::int64_t now_ms) const {
        const json& pool = pool_named(cluster_, here.pool);
        json out{
            {"name", name}, {"pool", here.pool}, {"ready", here.ready_ms <= now_ms}, {"created_ms", here.created_ms}};
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

    // Places pods on ready nodes as the plan says.  A pod for a node that is not ready waits.
    void place(const json& plan, std::int64_t now_ms) {
        for (const json& planned : plan.at("groups")) {
            for (const auto& [name, count] : planned.at("on_nodes").items()) {
                const auto at = nodes_.find(name);
                if (at == nodes_.end() || at->second.ready_ms > now_ms) continue;
                std::int64_t left = count.get<std::int64_t>();
                for (pod_state& pod : pods_) {
                    if (left == 0 || !pod.node.empty()) continue;
                    pod.node = name;
                    changed_ = true;
                    longest_minutes_ =
                        std::max(longest_minutes_, static_cast<double>(now_ms - pod.since_ms) / 60'000.0);
                    --left;
                }
            }
        }
    }

    void grow(const json& plan, std::int64_t now_ms) {
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

    void shrink(const json& plan, std::int64_t now_ms) {
        std::map<std::string, removals> pools;
        for (const json& node : plan.at("nodes")) {
            if (node.at("reason") != "NoReason" || !node.contains("removal")) continue;
            remove_node(node, now_ms);
            const std::string reason =
                text_at(node, "removal") + ", unneeded since " + time_text(integer_at(node, "unneeded_since_ms"));
            pools[node.at("pool")][reason].push_back(node.at("name"));
        }
        for (const auto& [pool, removed] : pools) note_removals(pool, removed, now_ms);
    }

    // Removes a node and moves its replicas as the plan says.  A replica that was placed after the plan was made waits again.
    void remove_node(const json& planned, std::int64_t now_ms) {
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
    void note_removals(const std::string& pool, const removals& removed, std::int64_t now_ms) {
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

    std::int64_t size_of(const std::string& pool) const {
        return std::ranges::count_if(nodes_, [&](const auto& entry) { return entry.second.pool == pool; });
    }

    std::int64_t waiting_pods() const {
        return std::ranges::count_if(pods_, [](const pod_state& waiting) { return waiting.node.empty(); });
    }

    // Returns the next time at which a node becomes ready, late or removable, or a pause ends.
    std::int64_t next_after(const json& plan, std::int64_t now_ms) const {
        constexpr std::int64_t late_ms = std::int64_t{15} * 60'000;  // default of max-node-startup-time
        std::int64_t out = std::numeric_limits<std::int64_t>::max();
        const auto look_at = [&](std::int64_t time_ms) {
            out = std::min(out, std::max(time_ms, now_ms + node_step_ms));
        };
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

    void note_change(std::int64_t now_ms, const std::string& text) {
        changes_.push_back({{"time_ms", now_ms}, {"text", text}});
        changed_ = true;
    }

    json cluster_;
    std::int64_t last_ms_ = 0;
    std::int64_t next_ms_ = 0;
    bool changed_ = false;  // changed in this step, so the next step follows immediately
    std::string state_;
    json events_ = json::array();         // input of the next plan
    std::map<std::string, json> offers_;  // allocatable resources of a node, by pool, from the plan
    std::map<std::string, node_state> nodes_;
    std::vector<pod_state> pods_;
    std::int64_t created_ = 0;          // number of nodes created; for their names
    std::map<std::string, json> sums_;  // entries of the report by pool
    double waiting_minutes_ = 0.0;
    double longest_minutes_ = 0.0;
    json changes_ = json::array();
    std::set<std::string> warnings_;
};

struct replica_step {
    std::int64_t time_ms;
    std::int64_t replicas;  // from then on
};

// Returns the replica counts in a replay's report, from its start to its end.
std::vector<replica_step> replica_steps(const json& report) {
    if (report.at("events_left_out") != 0)
        throw usage_error(
            "--pools: the replay has more changes than its report lists; replay a shorter time with --from and --to");
    const json& events = report.at("events");
    const std::int64_t from_ms = parse_time_ms(report.at("summary").at("from"));
    std::vector<replica_step> out{{from_ms, events.empty() ? integer_at(report.at("summary"), "most_replicas")
                                                           : integer_at(events.front(), "current_replicas")}};
    for (const json& event : events) out.push_back({event.at("time_ms"), event.at("desired_replicas")});
    return out;
}

}  // namespace

std::int64_t longest_delay_ms(const json& cluster) {
    if (!cluster.is_object() || !cluster.contains("pools") || !cluster.at("pools").is_array() ||
        !cluster.contains("pod"))
        throw usage_error("--pools: expected JSON with pools, and with pod, the requests of one replica");
    std::int64_t out = 0;
    for (const json& pool : cluster.at("pools")) {
        if (!pool.is_object() || !pool.value("id", json()).is_string())
            throw usage_error("--pools: each pool is an object with an id");
    }
    for (const json& pool : cluster.at("pools")) {
        const json seconds = pool.value("delay_s", json(0));
        if (!seconds.is_number()) throw usage_error("--pools: delay_s is a number of seconds, got " + seconds.dump());
        out = std::max(out, delay_ms(pool));
    }
    return out;
}

json nodes_of_replay(const json& report, json cluster) {
    node_simulation simulation(std::move(cluster));
    const std::vector<replica_step> steps = replica_steps(report);
    const std::int64_t to_ms = parse_time_ms(report.at("summary").at("to"));
    std::size_t at = 0;
    for (std::int64_t now_ms = steps.front().time_ms; now_ms <= to_ms; now_ms += node_step_ms) {
        const std::size_t before = at;
        while (at + 1 < steps.size() && steps[at + 1].time_ms <= now_ms) ++at;
        if (at != before || now_ms >= simulation.next_ms()) simulation.step(now_ms, steps[at].replicas);
    }
    return simulation.finish(to_ms);
}

std::string nodes_text(const json& nodes) {
    std::string out = format_members(
        "Nodes: {node_hours:1} node-hours, {gpu_hours:1} GPU-hours, cost {cost:2}; replicas waited "
        "{waiting_pod_minutes:1} min in all, {longest_wait_minutes:1} min at most\n",
        nodes);
    for (const json& pool : nodes.at("pools"))
        out += format_members("  {id}: at most {most} nodes, {node_hours:1} h, cost {cost:2}\n", pool);
    for (const json& warning : nodes.at("warnings")) out += "  warning: --pools: " + warning.get<std::string>() + "\n";
    constexpr std::size_t max_lines = 20;
    const json& changes = nodes.at("changes");
    for (std::size_t i = 0; i < std::min(changes.size(), max_lines); ++i)
        out += "  " + time_text(integer_at(changes[i], "time_ms")) + "  " + text_at(changes[i], "text") + "\n";
    if (changes.size() > max_lines)
        out += "  ... and " + std::to_string(changes.size() - max_lines) + " more; --output json has them\n";
    return out;
}

}  // namespace gputided
