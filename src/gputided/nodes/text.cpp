#include "common/text.hpp"

#include "common/page.hpp"
#include "nodes/nodes.hpp"
#include "plan_html.hpp"

#include <algorithm>
#include <cctype>

namespace gputided {

namespace {

const char* verdict_text(const std::string& verdict) {
    if (verdict == "too_new") return "pods are younger than 2 s (30 s with a GPU): the pass waits for further pods\n";
    if (verdict == "unhealthy") return "too many nodes are not ready: nothing is planned\n";
    return verdict == "nothing_pending" ? "no pod needs a new node\n" : "";
}

std::string pool_text(const json& pool) {
    const std::int64_t add = integer_at(pool, "add"), remove = integer_at(pool, "remove");
    std::string out =
        format_members("{id}: {size} -> ", pool) + std::to_string(integer_at(pool, "size") + add - remove);
    if (add > 0) out += format_members(" (+{add})", pool);
    if (remove > 0) out += format_members(" (-{remove})", pool);
    if (pool.at("upcoming") != 0) out += format_members(", {upcoming} upcoming", pool);
    return out + format_members_if_known(", {skipped}", pool) + "\n";
}

std::string pass_text(const json& pass) {
    std::string out;
    for (const json& growth : pass.at("increases")) {
        out += format_members("  {pool} {from}->{to} for", growth);
        for (const auto& [group, pods] : pass.at("placed").items())
            out += " " + group + " (" + counted(pods.get<std::int64_t>(), "pod") + ")";
        out += "\n";
    }
    if (pass.at("options").size() < 2) return out;
    out += "    of";
    for (const json& option : pass.at("options"))
        out += format_members(" {pool} ({nodes:node}, {pods:pod}", option) +
               (option.at("survived") == true ? ", best)" : ")");
    return out + "\n";
}

std::string findings_text(const json& findings) {
    std::string out;
    for (const json& found : findings.at("findings")) {
        if (found.at("severity") != "note") out += text_at(found, "severity") + ": " + located_text(found) + "\n";
    }
    return out;
}

// Returns for example " behind scheduling gates (kueue.x-k8s.io/admission)".
std::string why_left_out(const std::string& why) {
    const std::string name = why.substr(0, why.find(':'));
    if (name == "scheduling_gates") return " behind scheduling gates (" + why.substr(name.size() + 1) + ")";
    if (name == "daemon_set") return " of DaemonSets, each for its own node";
    if (name == "placeholder") return " of an earlier plan's placeholders";
    return " below the priority cutoff on nodes, counted as free capacity";
}

// Returns for example "not planned: 4 pods of an earlier plan's placeholders, the first is default/train-0".
std::string left_out_text(const json& plan) {
    std::string out;
    for (const json& entry : plan.at("not_planned"))
        out += format_members("not planned: {pods:pod}", entry) + why_left_out(text_at(entry, "why")) +
               format_members(", the first is {first}\n", entry);
    for (const json& entry : plan.at("unmodeled"))
        out += format_members("not modeled: {pods:pod} such as {first}: {why}\n", entry);
    return out;
}

std::string group_text(const json& group) {
    std::string out = format_members(
        "{name}: {pods:pod}, {on_existing} on existing nodes, {on_new} on new ones, {left} left\n", group);
    for (const auto& [pool, reasons] : group.at("rejected").items()) {
        out += "  not on " + pool + ":";
        for (const json& reason : reasons) out += " " + reason.get<std::string>();
        out += "\n";
    }
    for (const json& help : group.at("help")) out += "  would help: " + help.get<std::string>() + "\n";
    return out;
}

std::string node_text(const json& node) {
    std::string out = format_members("{name}: {state}", node);
    if (node.contains("utilization"))
        out += ", " + figure(100.0 * number_at(node, "utilization"), 1) +
               format_members(" % of {resource} requested", node);
    const bool is_free = node.at("reason") == "NoReason";
    if (is_free) {
        out += node.contains("removal") ? ", can be removed now" : ", not checked";
    } else {
        out += format_members(", stays: {reason}", node) + format_members_if_known(" ({removal})", node);
    }
    out += format_members_if_known(" because of {pod}", node);
    if (node.contains("removable_at_ms")) out += ", from " + time_text(integer_at(node, "removable_at_ms"));
    out += format_members_if_known(", saves {saves_per_hour:.2} an hour", node) + "\n";
    if (!node.contains("moves")) return out;
    for (const auto& [pod, to] : node.at("moves").items())
        out += "  " + pod + " moves to " + to.get<std::string>() + "\n";
    return out;
}

// Returns "moving 2 pods saves 1 node and 98.32 an hour", and each move.
std::string moves_text(const json& made) {
    const json& moves = made.at("moves");
    if (moves.empty()) return {};
    std::string out = "moving " + counted(moves.size(), "pod");
    const bool saves = integer_at(made, "nodes") > 0;
    const auto left =
        std::ranges::count_if(made.at("places"), [](const json& place) { return place.at("instead_of") == "left"; });
    if (left > 0) out += " gives a place to " + counted(left, "pod");
    if (saves) out += (left > 0 ? " and" : "") + format_members(" saves {nodes:node}", made);
    if (saves) out += format_members_if_known(", {saves_per_hour:.2} an hour", made);
    out += made.at("applied").get<bool>() ? "; the plan counts on it:\n" : "; --defragment plans with it:\n";
    for (const json& move : moves) out += format_members("  {pod} moves from {from} to {to}\n", move);
    for (const json& place : made.at("places")) out += format_members("  {group} then fits {node}\n", place);
    return out;
}

std::int64_t pods_left(const json& plan) {
    std::int64_t out = 0;
    for (const json& group : plan.at("groups")) out += integer_at(group, "left");
    return out;
}

// Returns for example "5 of 8 GPUs requested, then 9 of 16 GPUs; 2.62 of 13.96 an hour for GPUs that no pod requests, then ...".
std::string gpus_text(const json& gpus) {
    return format_members(
               "{/before/gpus_used} of {/before/gpus:GPU} requested, then {/after/gpus_used} of {/after/gpus:GPU}",
               gpus) +
           format_members_if_known(
               "; {/before/unused_cost_per_hour:.2} of {/before/cost_per_hour:.2} an hour for GPUs that no "
               "pod requests, then {/after/unused_cost_per_hour:.2} of {/after/cost_per_hour:.2}",
               gpus);
}

std::string plan_conclusion(const json& plan) {
    std::string out = format_members("{/scale_up/nodes:node} to add, {/scale_down/nodes} to remove; ", plan) +
                      counted(pods_left(plan), "pod") + " cannot be placed.";
    const json& gpus = plan.at("gpus");
    if (gpus.at("before").at("nodes") == 0 && gpus.at("after").at("nodes") == 0) return out;
    return out + " " + gpus_text(gpus) + ".";
}

}  // namespace

std::string plan_text(const json& plan) {
    const json &up = plan.at("scale_up"), &down = plan.at("scale_down");
    std::string out = findings_text(plan.at("findings")) + left_out_text(plan) + verdict_text(text_at(up, "verdict"));
    for (const json& pool : plan.at("pools")) out += pool_text(pool);
    for (const json& pass : up.at("passes")) out += pass_text(pass);
    if (up.at("nodes") != up.at("min_nodes"))
        out += format_members("at least {min_nodes:node} are needed, {nodes} are planned\n", up);
    if (up.at("nodes") != 0) out += format_members_if_known("costs {cost_per_hour:.2} an hour more\n", up);
    out += moves_text(plan.at("defragment"));
    if (down.at("nodes") != 0) out += format_members_if_known("saves {saves_per_hour:.2} an hour\n", down);
    if (plan.at("gpus").at("after").at("nodes") != 0) out += gpus_text(plan.at("gpus")) + "\n";
    if (const std::int64_t left = pods_left(plan); left > 0)
        out += counted(left, "pod") + " cannot be placed; gputided nodes explain shows the reasons\n";
    return out;
}

std::string explain_text(const json& plan, const std::string& only) {
    std::string exact, begun;  // a complete name takes precedence over the beginning of a name
    const auto add = [&](const json& entry, const std::string& text) {
        const std::string name = text_at(entry, "name");
        if (name == only) exact += text;
        if (name.starts_with(only)) begun += text;
    };
    for (const json& group : plan.at("groups")) add(group, group_text(group));
    for (const json& node : plan.at("nodes")) add(node, node_text(node));
    if (!only.empty() && begun.empty()) return {};
    return findings_text(plan.at("findings")) + left_out_text(plan) + (exact.empty() ? begun : exact);
}

std::string plan_page(const json& plan) {
    return report_file(
        plan_html,
        {{"TITLE", "GPU nodes"}, {"CONCLUSION", escaped(plan_conclusion(plan))}, {"PLAN", for_script(plan)}});
}

namespace {

// cluster-autoscaler adds no nodes for pods below its expendable-pods-priority-cutoff, which is -10 by default.
constexpr const char* priority_class =
    "apiVersion: scheduling.k8s.io/v1\n"
    "kind: PriorityClass\n"
    "metadata:\n"
    "  name: gputide-placeholder\n"
    "value: -10\n"
    "preemptionPolicy: Never\n"
    "globalDefault: false\n"
    "description: \"Reserves nodes until pods need them.\"\n";

// Returns a JSON string, which is also valid YAML.  Strings in the plan are written in the same way.
std::string quoted(const std::string& text) { return json(text).dump(); }

// Returns "gpu-standard-nc40ads-h100-v5" for "gpu/Standard_NC40ads_H100_v5": a valid Kubernetes name and label value.
std::string plain_name(const std::string& pool) {
    constexpr std::size_t max_size = 40;  // of 63, because a prefix and a suffix are added
    std::string out;
    for (const char letter : pool) {
        const auto byte = static_cast<unsigned char>(letter);
        if (std::isalnum(byte) != 0) {
            out += static_cast<char>(std::tolower(byte));
        } else if (!out.empty() && out.back() != '-') {
            out += '-';
        }
        if (out.size() == max_size) break;
    }
    while (!out.empty() && out.back() == '-') out.pop_back();
    return out.empty() ? "pool" : out;
}

// Returns GPUs and other devices, which are the resources with a domain in their name.
json devices_of(const json& offers) {
    json out = json::object();
    for (const auto& [name, amount] : offers.items()) {
        const bool is_device = name.find('/') != std::string::npos && name.rfind("kubernetes.io/", 0) != 0;
        if (is_device && amount.get<std::int64_t>() > 0) out[name] = amount;
    }
    return out;
}

std::string selector_lines(const json& selector, const std::string& indent) {
    if (selector.empty()) return "";
    std::string out = indent + "nodeSelector:\n";
    for (const auto& [key, value] : selector.items()) out += indent + "  " + quoted(key) + ": " + value.dump() + "\n";
    return out;
}

std::string toleration_lines(const json& taints, const std::string& indent) {
    std::string out;
    for (const json& taint : taints) {
        if (taint.at("effect") == "PreferNoSchedule") continue;
        out += out.empty() ? indent + "tolerations:\n" : "";
        out += indent + "- key: " + taint.at("key").dump() + "\n" + indent + "  operator: Equal\n" + indent +
               "  value: " + taint.at("value").dump() + "\n" + indent + "  effect: " + taint.at("effect").dump() + "\n";
    }
    return out;
}

// Returns the lines by which a pod takes a whole node of the pool.
std::string pod_lines(const json& pool, const json& devices, const std::string& indent) {
    std::string out;
    if (pool.at("selector").empty())
        out +=
            indent + "# No label selects only the nodes of " + pool.at("id").dump() + ": give the pool its labels.\n";
    out += selector_lines(pool.at("selector"), indent) + toleration_lines(pool.at("taints"), indent);
    out += indent + "containers:\n" + indent + "- name: pause\n" + indent + "  image: registry.k8s.io/pause:3.10\n" +
           indent + "  resources:\n" + indent + "    limits:\n";
    for (const auto& [resource, amount] : devices.items())
        out += indent + "      " + quoted(resource) + ": " + amount.dump() + "\n";
    return out;
}

// Returns the number of nodes to hold: new ones, and those that an earlier output holds for pods of this plan.
std::string nodes_to_hold(const json& pool) {
    return std::to_string(pool.at("add").get<std::int64_t>() + pool.value("held", std::int64_t{0}));
}

std::string deployment(const json& pool, const json& devices) {
    const std::string name = plain_name(text_at(pool, "id"));
    return "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: gputide-placeholder-" + name +
           "\nspec:\n  replicas: " + nodes_to_hold(pool) +
           "\n  selector:\n    matchLabels:\n      gputide.io/placeholder: " + quoted(name) +
           "\n  template:\n    metadata:\n      labels:\n        gputide.io/placeholder: " + quoted(name) +
           "\n    spec:\n      priorityClassName: gputide-placeholder\n"
           "      terminationGracePeriodSeconds: 0\n" +
           pod_lines(pool, devices, "      ");
}

std::string buffer(const json& pool, const json& devices) {
    const std::string name = "gputide-buffer-" + plain_name(text_at(pool, "id"));
    return "---\napiVersion: v1\nkind: PodTemplate\nmetadata:\n  name: " + name + "\ntemplate:\n  spec:\n" +
           pod_lines(pool, devices, "    ") +
           "---\napiVersion: autoscaling.x-k8s.io/v1beta1\nkind: CapacityBuffer\nmetadata:\n  name: " + name +
           "\n  labels:\n    gputide.io/placeholder: " + quoted(plain_name(text_at(pool, "id"))) +
           "\nspec:\n  provisioningStrategy: buffer.x-k8s.io/active-capacity\n  podTemplateRef:\n    name: " + name +
           "\n  replicas: " + nodes_to_hold(pool) + "\n";
}

}  // namespace

std::string placeholder_pods(const json& plan) {
    std::string out = priority_class;
    for (const json& pool : plan.at("pools")) {
        if (const json devices = devices_of(pool.at("offers")); !devices.empty()) out += deployment(pool, devices);
    }
    return out;
}

std::string capacity_buffers(const json& plan) {
    std::string out;
    for (const json& pool : plan.at("pools")) {
        if (const json devices = devices_of(pool.at("offers")); !devices.empty()) out += buffer(pool, devices);
    }
    return out;
}

}  // namespace gputided
