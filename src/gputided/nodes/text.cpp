#include "common/text.hpp"

#include "common/page.hpp"
#include "nodes/nodes.hpp"
#include "plan_html.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace gputided {

namespace {

std::string count_text(const json& number, const char* noun) { return counted(number.get<std::int64_t>(), noun); }

std::string money(const json& value) { return decimal(value.get<double>(), 2); }

void add_verdict(std::string& out, const json& scale_up) {
    const std::string verdict = text_at(scale_up, "verdict");
    if (verdict == "too_new") out += "pods are younger than 2 s (30 s with a GPU): the pass waits for further pods\n";
    if (verdict == "unhealthy") out += "too many nodes are not ready: nothing is planned\n";
    if (verdict == "nothing_pending") out += "no pod needs a new node\n";
}

void add_pool(std::string& out, const json& pool) {
    const auto size = integer_at(pool, "size");
    const auto add = integer_at(pool, "add");
    const auto remove = integer_at(pool, "remove");
    out += text_at(pool, "id") + ": " + std::to_string(size) + " -> " + std::to_string(size + add - remove);
    if (add > 0) out += " (+" + std::to_string(add) + ")";
    if (remove > 0) out += " (-" + std::to_string(remove) + ")";
    if (pool.at("upcoming") != 0) out += ", " + std::to_string(integer_at(pool, "upcoming")) + " upcoming";
    if (pool.contains("skipped")) out += ", " + text_at(pool, "skipped");
    out += "\n";
}

void add_pass(std::string& out, const json& pass) {
    for (const json& growth : pass.at("increases")) {
        out += "  " + text_at(growth, "pool") + " " + growth.at("from").dump() + "->" + growth.at("to").dump() + " for";
        for (const auto& [group, pods] : pass.at("placed").items())
            out += " " + group + " (" + count_text(pods, "pod") + ")";
        out += "\n";
    }
    if (pass.at("options").size() < 2) return;
    out += "    of";
    for (const json& option : pass.at("options")) {
        out += " " + text_at(option, "pool") + " (" + count_text(option.at("nodes"), "node") + ", " +
               count_text(option.at("pods"), "pod") + (option.at("survived").get<bool>() ? ", best)" : ")");
    }
    out += "\n";
}

std::string findings_text(const json& findings) {
    std::string out;
    for (const json& found : findings.at("findings")) {
        if (found.at("severity") != "note") out += text_at(found, "severity") + ": " + located_text(found) + "\n";
    }
    return out;
}

// Returns for example "not planned: 4 pods behind scheduling gates (kueue.x-k8s.io/admission), the first is default/train-0".
std::string left_out_line(const json& entry) {
    const std::string why = text_at(entry, "why");
    const std::string name = why.substr(0, why.find(':'));
    std::string out = count_text(entry.at("pods"), "pod");
    if (name == "scheduling_gates") {
        out += " behind scheduling gates (" + why.substr(name.size() + 1) + ")";
    } else if (name == "daemon_set") {
        out += " of DaemonSets, each for its own node";
    } else if (name == "placeholder") {
        out += " of an earlier plan's placeholders";
    } else {
        out += " below the priority cutoff on nodes, counted as free capacity";
    }
    return "not planned: " + out + ", the first is " + text_at(entry, "first") + "\n";
}

std::string left_out_text(const json& plan) {
    std::string out;
    for (const json& entry : plan.at("not_planned")) out += left_out_line(entry);
    for (const json& entry : plan.at("unmodeled"))
        out += "not modeled: " + count_text(entry.at("pods"), "pod") + " such as " + text_at(entry, "first") + ": " +
               text_at(entry, "why") + "\n";
    return out;
}

void explain_group(std::string& out, const json& group) {
    out += text_at(group, "name") + ": " + count_text(group.at("pods"), "pod") + ", " + group.at("on_existing").dump() +
           " on existing nodes, " + group.at("on_new").dump() + " on new ones, " + group.at("left").dump() + " left\n";
    for (const auto& [pool, reasons] : group.at("rejected").items()) {
        out += "  not on " + pool + ":";
        for (const json& reason : reasons) out += " " + reason.get<std::string>();
        out += "\n";
    }
    for (const json& help : group.at("help")) out += "  would help: " + help.get<std::string>() + "\n";
}

void explain_node(std::string& out, const json& node) {
    const std::string reason = text_at(node, "reason");
    out += text_at(node, "name") + ": " + text_at(node, "state");
    if (node.contains("utilization"))
        out += ", " + figure(100.0 * number_at(node, "utilization"), 1) + " % of " + text_at(node, "resource") +
               " requested";
    const bool is_checked = reason != "NoReason" || node.contains("removal");
    out += !is_checked ? ", not checked" : reason == "NoReason" ? ", can be removed now" : ", stays: " + reason;
    if (node.contains("removal") && reason != "NoReason") out += " (" + text_at(node, "removal") + ")";
    if (node.contains("pod")) out += " because of " + text_at(node, "pod");
    if (node.contains("removable_at_ms")) out += ", from " + time_text(integer_at(node, "removable_at_ms"));
    if (node.contains("saves_per_hour")) out += ", saves " + money(node.at("saves_per_hour")) + " an hour";
    out += "\n";
    if (!node.contains("moves")) return;
    for (const auto& [pod, to] : node.at("moves").items())
        out += "  " + pod + " moves to " + to.get<std::string>() + "\n";
}

// Returns "moving 2 pods saves 1 node and 98.32 an hour", and each move.
std::string moves_text(const json& made) {
    const json& moves = made.at("moves");
    if (moves.empty()) return {};
    std::string out = "moving " + counted(moves.size(), "pod");
    const std::int64_t nodes = integer_at(made, "nodes");
    const auto left = std::count_if(made.at("places").begin(), made.at("places").end(),
                                    [](const json& place) { return text_at(place, "instead_of") == "left"; });
    if (left > 0) out += " gives a place to " + counted(left, "pod");
    if (nodes > 0) out += std::string(left > 0 ? " and" : "") + " saves " + counted(nodes, "node");
    if (nodes > 0 && !made.at("saves_per_hour").is_null()) out += ", " + money(made.at("saves_per_hour")) + " an hour";
    out += made.at("applied").get<bool>() ? "; the plan counts on it:\n" : "; --defragment plans with it:\n";
    for (const json& move : moves)
        out +=
            "  " + text_at(move, "pod") + " moves from " + text_at(move, "from") + " to " + text_at(move, "to") + "\n";
    for (const json& place : made.at("places"))
        out += "  " + text_at(place, "group") + " then fits " + text_at(place, "node") + "\n";
    return out;
}

std::int64_t pods_left(const json& plan) {
    std::int64_t out = 0;
    for (const json& group : plan.at("groups")) out += integer_at(group, "left");
    return out;
}

std::string used_of(const json& use) { return use.at("gpus_used").dump() + " of " + count_text(use.at("gpus"), "GPU"); }

// Returns for example "5 of 8 GPUs requested, then 9 of 16 GPUs; 2.62 of 13.96 an hour for GPUs that no pod requests, then ...".
std::string gpus_text(const json& gpus) {
    const json& before = gpus.at("before");
    const json& after = gpus.at("after");
    std::string out = used_of(before) + " requested, then " + used_of(after);
    if (before.at("cost_per_hour").is_null() || after.at("cost_per_hour").is_null()) return out;
    return out + "; " + money(before.at("unused_cost_per_hour")) + " of " + money(before.at("cost_per_hour")) +
           " an hour for GPUs that no pod requests, then " + money(after.at("unused_cost_per_hour")) + " of " +
           money(after.at("cost_per_hour"));
}

}  // namespace

std::string plan_conclusion(const json& plan) {
    std::string out = count_text(plan.at("scale_up").at("nodes"), "node") + " to add, " +
                      plan.at("scale_down").at("nodes").dump() + " to remove; " + counted(pods_left(plan), "pod") +
                      " cannot be placed.";
    const json& gpus = plan.at("gpus");
    if (gpus.at("before").at("nodes") == 0 && gpus.at("after").at("nodes") == 0) return out;
    return out + " " + gpus_text(gpus) + ".";
}

std::string plan_text(const json& plan) {
    std::string out = findings_text(plan.at("findings")) + left_out_text(plan);
    const json& up = plan.at("scale_up");
    const json& down = plan.at("scale_down");
    add_verdict(out, up);
    for (const json& pool : plan.at("pools")) add_pool(out, pool);
    for (const json& pass : up.at("passes")) add_pass(out, pass);
    if (up.at("nodes") != up.at("min_nodes"))
        out += "at least " + count_text(up.at("min_nodes"), "node") + " are needed, " + up.at("nodes").dump() +
               " are planned\n";
    if (!up.at("cost_per_hour").is_null() && up.at("nodes") != 0)
        out += "costs " + money(up.at("cost_per_hour")) + " an hour more\n";
    out += moves_text(plan.at("defragment"));
    if (!down.at("saves_per_hour").is_null() && down.at("nodes") != 0)
        out += "saves " + money(down.at("saves_per_hour")) + " an hour\n";
    if (plan.at("gpus").at("after").at("nodes") != 0) out += gpus_text(plan.at("gpus")) + "\n";
    if (const std::int64_t left = pods_left(plan); left > 0)
        out += counted(left, "pod") + " cannot be placed; gputided nodes explain shows the reasons\n";
    return out;
}

std::string explain_text(const json& plan, const std::string& only) {
    const auto matches = [&](const json& entry, bool whole) {
        const std::string name = text_at(entry, "name");
        return whole ? name == only : name.rfind(only, 0) == 0;
    };
    const auto any = [&](bool whole) {
        const auto is_named = [&](const json& entry) { return matches(entry, whole); };
        return std::any_of(plan.at("groups").begin(), plan.at("groups").end(), is_named) ||
               std::any_of(plan.at("nodes").begin(), plan.at("nodes").end(), is_named);
    };
    const bool whole = any(true);  // a complete name takes precedence over the beginning of a name
    if (!only.empty() && !whole && !any(false)) return {};
    std::string out = findings_text(plan.at("findings")) + left_out_text(plan);
    for (const json& group : plan.at("groups")) {
        if (matches(group, whole)) explain_group(out, group);
    }
    for (const json& node : plan.at("nodes")) {
        if (matches(node, whole)) explain_node(out, node);
    }
    return out;
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
