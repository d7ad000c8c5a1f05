#include "nodes/report/json.hpp"

#include "base/json_writer.hpp"
#include "base/time.hpp"
#include "nodes/dra/device.hpp"
#include "nodes/node.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <vector>

namespace gputide::nodes {
namespace {

std::string_view word_of(verdict_of_pass pass) {
    static constexpr std::array<std::string_view, 4> words{"done", "too_new", "unhealthy", "nothing_pending"};
    return words[static_cast<std::size_t>(pass)];
}

std::string_view word_of(node_class kind) {
    static constexpr std::array<std::string_view, 5> words{"ready", "deleted", "suspended", "not_started", "unready"};
    return words[static_cast<std::size_t>(kind)];
}

std::string_view word_of(waits_for waits_for) {
    static constexpr std::array<std::string_view, 7> words{"no",        "priority", "delay",       "daemon_set",
                                                           "unmodeled", "gang",     "device_error"};
    return words[static_cast<std::size_t>(waits_for)];
}

void write_amounts(json_writer& out, std::string_view name, const resource_list& amounts) {
    out.key(name).begin_object();
    for (const resource& amount : amounts) out.member(amount.name, amount.amount);
    out.end_object();
}

// Writes null for an unknown price.
void write_price(json_writer& out, std::string_view name, double value, bool known) {
    out.member(name, known ? value : std::numeric_limits<double>::quiet_NaN());
}

class plan_writer {
  public:
    plan_writer(const cluster& cluster, const plan& plan) : of_(cluster), made_(plan), use_(use_of(cluster, plan)) {}

    std::string write(const text::report& findings, std::int64_t now_ms) {
        out_.begin_object();
        out_.member("time", format_rfc3339_ms(now_ms));
        write_scale_up();
        write_scale_down();
        write_defragmentation();
        out_.key("gpus").begin_object();
        write_gpu_use("before", use_.before);
        write_gpu_use("after", use_.after);
        out_.end_object();
        out_.key("pools").begin_array();
        for (std::size_t i = 0; i < of_.pools.size(); ++i) write_pool(of_.pools[i], made_.pools[i]);
        out_.end_array().key("groups").begin_array();
        for (std::size_t i = 0; i < of_.pending.size(); ++i) {
            if (made_.groups[i].held != waits_for::daemon_set) write_group(i);
        }
        out_.end_array().key("nodes").begin_array();
        for (std::size_t i = 0; i < of_.nodes.size(); ++i) write_node(of_.nodes[i], made_.nodes[i], use_.nodes[i]);
        out_.end_array();
        write_left_out("not_planned", not_planned());
        write_left_out("unmodeled", unmodeled());
        out_.key("findings");
        text::write_json(out_, findings);
        out_.end_object();
        return out_.take();
    }

  private:
    // Returns what is left out, with the pods that DaemonSets have created for nodes of their own.
    std::vector<left_out> not_planned() const {
        std::vector<left_out> out = of_.not_planned;
        left_out daemons{"daemon_set", 0, {}};
        for (std::size_t i = 0; i < of_.pending.size(); ++i) {
            const std::int64_t waiting = of_.pending[i].count - made_.groups[i].on_existing;
            if (made_.groups[i].held != waits_for::daemon_set || waiting == 0) continue;
            if (daemons.pods == 0) daemons.first = of_.pending[i].name;
            daemons.pods += waiting;
        }
        if (daemons.pods > 0) out.push_back(std::move(daemons));
        return out;
    }

    // Returns what pods ask for and the plan does not look at, each with the number of such pods.
    std::vector<left_out> unmodeled() const {
        std::map<std::string, left_out> found;
        const auto count = [&](const pod& pod, const std::string& name, std::int64_t pods) {
            for (const std::string& why : pod.placement.unmodeled) {
                left_out& entry = found.try_emplace(why, left_out{why, 0, name}).first->second;
                entry.pods += pods;
            }
        };
        for (std::size_t i = 0; i < of_.pending.size(); ++i) {
            const pod_group& group = of_.pending[i];
            count(group.pod, group.name, group.count);
            const group_result& result = made_.groups[i];
            if (result.left == 0 || !result.undecided || group.pod.placement.claims == nullptr) continue;
            const std::string why = why_undecided(*group.pod.placement.claims);
            found.try_emplace(why, left_out{why, 0, group.name}).first->second.pods += result.left;
        }
        for (const node& node : of_.nodes) {
            for (const pod& pod : node.pods) count(pod, full_name(pod), 1);
        }
        std::vector<left_out> out;
        for (auto& [why, entry] : found) out.push_back(std::move(entry));
        return out;
    }

    std::string_view id_of(std::uint32_t pool) const {
        return pool != no_pool ? std::string_view(of_.pools[pool].id) : std::string_view();
    }

    void write_left_out(std::string_view name, const std::vector<left_out>& entries) {
        out_.key(name).begin_array();
        for (const left_out& each : entries) {
            out_.begin_object().member("why", each.why).member("pods", each.pods);
            out_.member("first", each.first).end_object();
        }
        out_.end_array();
    }

    // Returns the number of a pool's nodes that placeholder pods hold for pods of this plan.
    std::int64_t held_nodes(const pool& pool) const {
        return std::ranges::count_if(of_.nodes, [&](const node& node) {
            return node.held && node.pool == pool.id &&
                   std::ranges::any_of(made_.groups,
                                       [&](const group_result& group) { return group.on_nodes.contains(node.name); });
        });
    }

    void write_scale_up() {
        std::int64_t nodes = 0;
        for (const pool_result& pool : made_.pools) nodes += pool.add;
        out_.key("scale_up").begin_object();
        out_.member("verdict", word_of(made_.scale_up)).member("nodes", nodes);
        out_.member("min_nodes", min_new_nodes(of_, made_));
        write_price(out_, "cost_per_hour", made_.added_cost_per_hour, made_.prices_known);
        out_.key("passes").begin_array();
        for (const pass& pass : made_.passes) write_pass(pass);
        out_.end_array().key("added").begin_array();
        for (const added_use& use : use_.added) {
            out_.begin_object().member("pool", id_of(use.pool)).member("nodes", use.nodes);
            out_.member("gpus", use.gpus).member("gpus_used", use.used).end_object();
        }
        out_.end_array().end_object();
    }

    void write_gpu_use(std::string_view name, const gpu_use& use) {
        out_.key(name).begin_object().member("nodes", use.nodes).member("gpus", use.gpus);
        out_.member("gpus_used", use.used);
        write_price(out_, "cost_per_hour", use.cost_per_hour, use.prices_known);
        write_price(out_, "unused_cost_per_hour", use.unused_cost_per_hour, use.prices_known);
        out_.end_object();
    }

    void write_pass(const pass& pass) {
        out_.begin_object().member("pool", id_of(pass.pool)).key("options").begin_array();
        for (const considered& each : pass.options) {
            out_.begin_object().member("pool", id_of(each.pool)).member("nodes", each.nodes).member("pods", each.pods);
            out_.member("survived", each.survived).end_object();
        }
        out_.end_array().key("increases").begin_array();
        for (const increase& each : pass.increases) {
            out_.begin_object().member("pool", id_of(each.pool)).member("from", each.from).member("to", each.to);
            out_.end_object();
        }
        out_.end_array().key("placed").begin_object();
        for (const placed_group& each : pass.placed) out_.member(of_.pending[each.group].name, each.count);
        out_.end_object().end_object();
    }

    void write_scale_down() {
        std::int64_t nodes = 0;
        for (const pool_result& pool : made_.pools) nodes += pool.remove;
        out_.key("scale_down").begin_object().member("nodes", nodes);
        write_price(out_, "saves_per_hour", made_.saved_cost_per_hour, made_.prices_known);
        if (made_.scale_down_paused_until_ms) out_.member("paused_until_ms", *made_.scale_down_paused_until_ms);
        out_.end_object();
    }

    void write_defragmentation() {
        const defragmentation& made = made_.defragmentation;
        out_.key("defragment").begin_object().member("applied", made.applied);
        out_.member("nodes", static_cast<std::int64_t>(made.saved.size()));
        write_price(out_, "saves_per_hour", made.saved_cost_per_hour, made.prices_known);
        out_.key("moves").begin_array();
        for (const move& move : made.moves) {
            const node& from = of_.nodes[move.from];
            out_.begin_object().member("pod", full_name(from.pods[move.pod])).member("from", from.name);
            out_.member("to", of_.nodes[move.to].name).end_object();
        }
        out_.end_array().key("places").begin_array();
        for (const place_after_moves& place : made.places) {
            out_.begin_object().member("group", of_.pending[place.group].name).member("node", place.node);
            out_.member("instead_of", place.instead_of_new ? "new_node" : "left").end_object();
        }
        out_.end_array().end_object();
    }

    void write_pool(const pool& pool, const pool_result& result) {
        out_.begin_object()
            .member("id", pool.id)
            .member("size", pool.size)
            .member("min", pool.min)
            .member("max", pool.max);
        out_.member("add", result.add).member("remove", result.remove).member("upcoming", result.upcoming);
        if (const std::int64_t held = held_nodes(pool); held > 0) out_.member("held", held);
        out_.member("ready", result.counts[node_class::ready]);
        out_.member("not_started", result.counts[node_class::not_started]);
        out_.member("unready", result.counts[node_class::unready]);
        if (result.skipped.why != skip::none) out_.member("skipped", skip_text(result.skipped));
        if (pool.price_per_hour) out_.member("price_per_hour", *pool.price_per_hour);
        write_amounts(out_, "offers", result.offers);
        write_whereabouts(pool);
        out_.end_object();
    }

    // Writes the settings that a pod needs to run on its nodes.
    void write_whereabouts(const pool& pool) {
        out_.key("selector").begin_object();
        for (const auto& [key, value] : selector_of(pool)) out_.member(key, value);
        out_.end_object().key("taints").begin_array();
        for (const taint& each : pool.shape ? pool.shape->taints : std::vector<taint>{}) {
            out_.begin_object().member("key", each.key).member("value", each.value).member("effect", each.effect);
            out_.end_object();
        }
        out_.end_array();
    }

    void write_group(std::size_t number) {
        const pod_group& group = of_.pending[number];
        const group_result& result = made_.groups[number];
        out_.begin_object().member("name", group.name).member("pods", group.count);
        out_.member("on_existing", result.on_existing).member("on_new", result.on_new).member("left", result.left);
        if (!group.pod.gang.empty()) out_.member("gang", group.pod.gang);
        if (result.held != waits_for::nothing) out_.member("held", word_of(result.held));
        out_.key("rejected").begin_object();
        for (const auto& [pool, reasons] : result.rejected) {
            out_.key(pool).begin_array();
            for (const reason& reason : reasons) out_.string(code_of(reason));
            out_.end_array();
        }
        out_.end_object().key("on_nodes").begin_object();
        for (const auto& [node, pods] : result.on_nodes) out_.member(node, pods);
        out_.end_object().key("help").begin_array();
        for (const std::string& text : help_for(of_, made_, number)) out_.string(text);
        out_.end_array().end_object();
    }

    void write_node(const node& node, const node_result& result, const node_use& use) {
        out_.begin_object().member("name", node.name).member("pool", node.pool).member("state", word_of(result.state));
        out_.member("reason", stay_name(result.why));
        if (use.gpus > 0) {
            out_.member("gpus", use.gpus).member("gpus_used", use.used).member("gpus_used_after", use.used_after);
        }
        if (result.utilization) {
            out_.member("utilization", result.utilization->value).member("resource", result.utilization->resource);
        }
        const pod* const keeper = result.why == stay::unmodeled_pod ? unmodeled_pod_of(node) : nullptr;
        if (keeper != nullptr) out_.member("pod", full_name(*keeper));
        if (result.removal) write_removal(*result.removal);
        if (result.unneeded_since_ms) out_.member("unneeded_since_ms", *result.unneeded_since_ms);
        if (result.removable_at_ms) out_.member("removable_at_ms", *result.removable_at_ms);
        if (result.saves_per_hour) out_.member("saves_per_hour", *result.saves_per_hour);
        out_.end_object();
    }

    void write_removal(const removal& removal) {
        out_.member("removal", removal_name(removal));
        if (!removal.pod.empty()) out_.member("pod", removal.pod);
        out_.key("moves").begin_object();
        for (const move& move : removal.moves) {
            // Pending pods come after the node's own.
            const std::vector<pod>& pods = of_.nodes[move.from].pods;
            if (move.pod < pods.size()) out_.member(full_name(pods[move.pod]), of_.nodes[move.to].name);
        }
        out_.end_object();
    }

    const cluster& of_;
    const plan& made_;
    const plan_use use_;
    json_writer out_;
};

}  // namespace

std::string plan_json(const cluster& cluster, const plan& plan, const text::report& findings, std::int64_t now_ms) {
    return plan_writer(cluster, plan).write(findings, now_ms);
}

}  // namespace gputide::nodes
