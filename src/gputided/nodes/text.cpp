#include "nodes/text.hpp"

#include "common/times.hpp"

#include <cstdint>
#include <iomanip>
#include <sstream>

namespace gputided {
namespace {

using nlohmann::json;

std::string text_of(const json& value) { return value.get<std::string>(); }

std::string counted(const json& number, const char* thing) {
    const auto count = number.get<std::int64_t>();
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string money(const json& value) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(2) << value.get<double>();
    return out.str();
}

std::string percent(const json& value) {
    std::ostringstream out;
    out << std::setprecision(3) << 100.0 * value.get<double>() << " %";
    return out.str();
}

void add_verdict(std::string& out, const json& scale_up) {
    const std::string verdict = text_of(scale_up.at("verdict"));
    if (verdict == "too_new") out += "pods are younger than 2 s (30 s with a GPU): the pass waits for others to come\n";
    if (verdict == "unhealthy") out += "too many nodes are not ready: nothing is done\n";
    if (verdict == "nothing_pending") out += "no pod needs a new node\n";
}

void add_pool(std::string& out, const json& pool) {
    const auto size = pool.at("size").get<std::int64_t>();
    const auto add = pool.at("add").get<std::int64_t>();
    const auto remove = pool.at("remove").get<std::int64_t>();
    out += text_of(pool.at("id")) + ": " + std::to_string(size) + " -> " + std::to_string(size + add - remove);
    if (add > 0) out += " (+" + std::to_string(add) + ")";
    if (remove > 0) out += " (-" + std::to_string(remove) + ")";
    if (pool.at("upcoming") != 0)
        out += ", " + std::to_string(pool.at("upcoming").get<std::int64_t>()) + " on their way";
    if (pool.contains("skipped")) out += ", " + text_of(pool.at("skipped"));
    out += "\n";
}

void add_pass(std::string& out, const json& pass) {
    for (const json& one : pass.at("increases")) {
        out += "  " + text_of(one.at("pool")) + " " + one.at("from").dump() + "->" + one.at("to").dump() + " for";
        for (const auto& [group, pods] : pass.at("placed").items())
            out += " " + group + " (" + counted(pods, "pod") + ")";
        out += "\n";
    }
    if (pass.at("options").size() < 2) return;
    out += "    of";
    for (const json& one : pass.at("options")) {
        out += " " + text_of(one.at("pool")) + " (" + counted(one.at("nodes"), "node") + ", " +
               counted(one.at("pods"), "pod") + (one.at("survived").get<bool>() ? ", best)" : ")");
    }
    out += "\n";
}

std::string findings_text(const json& findings) {
    std::string out;
    for (const json& one : findings.at("findings")) {
        if (one.at("severity") == "note") continue;
        out += text_of(one.at("severity")) + ": ";
        if (const std::string path = text_of(one.at("path")); !path.empty()) out += path + ": ";
        out += text_of(one.at("message"));
        if (const std::string remedy = text_of(one.at("remedy")); !remedy.empty()) out += ": " + remedy;
        out += "\n";
    }
    return out;
}

void explain_group(std::string& out, const json& group) {
    out += text_of(group.at("name")) + ": " + counted(group.at("pods"), "pod") + ", " + group.at("on_existing").dump() +
           " on nodes that are there, " + group.at("on_new").dump() + " on new ones, " + group.at("left").dump() +
           " left\n";
    for (const auto& [pool, reasons] : group.at("rejected").items()) {
        out += "  not on " + pool + ":";
        for (const json& one : reasons) out += " " + text_of(one);
        out += "\n";
    }
    for (const json& one : group.at("help")) out += "  would help: " + text_of(one) + "\n";
}

void explain_node(std::string& out, const json& node) {
    const std::string reason = text_of(node.at("reason"));
    out += text_of(node.at("name")) + ": " + text_of(node.at("state"));
    if (node.contains("utilization"))
        out += ", " + percent(node.at("utilization")) + " of " + text_of(node.at("resource")) + " asked for";
    const bool judged = reason != "NoReason" || node.contains("removal");
    out += !judged ? ", not looked at" : reason == "NoReason" ? ", may go now" : ", stays: " + reason;
    if (node.contains("removal") && reason != "NoReason") out += " (" + text_of(node.at("removal")) + ")";
    if (node.contains("pod")) out += " because of " + text_of(node.at("pod"));
    if (node.contains("removable_at_ms")) out += ", from " + time_text(node.at("removable_at_ms").get<std::int64_t>());
    if (node.contains("saves_per_hour")) out += ", saves " + money(node.at("saves_per_hour")) + " an hour";
    out += "\n";
    if (!node.contains("moves")) return;
    for (const auto& [pod, to] : node.at("moves").items()) out += "  " + pod + " moves to " + text_of(to) + "\n";
}

std::int64_t pods_left(const json& plan) {
    std::int64_t out = 0;
    for (const json& group : plan.at("groups")) out += group.at("left").get<std::int64_t>();
    return out;
}

std::string used_of(const json& use) { return use.at("gpus_used").dump() + " of " + counted(use.at("gpus"), "GPU"); }

// 5 of 8 GPUs asked for, then 9 of 16; of 13.96 an hour 2.62 for GPUs that nobody asks for, then ...
std::string gpus_text(const json& gpus) {
    const json& before = gpus.at("before");
    const json& after = gpus.at("after");
    std::string out = used_of(before) + " asked for, then " + used_of(after);
    if (before.at("cost_per_hour").is_null() || after.at("cost_per_hour").is_null()) return out;
    return out + "; " + money(before.at("unused_cost_per_hour")) + " of " + money(before.at("cost_per_hour")) +
           " an hour for GPUs that nobody asks for, then " + money(after.at("unused_cost_per_hour")) + " of " +
           money(after.at("cost_per_hour"));
}

}  // namespace

std::string plan_conclusion(const json& plan) {
    std::string out = counted(plan.at("scale_up").at("nodes"), "node") + " to add, " +
                      plan.at("scale_down").at("nodes").dump() + " may go; " + counted(pods_left(plan), "pod") +
                      " left without a place.";
    const json& gpus = plan.at("gpus");
    if (gpus.at("before").at("nodes") == 0 && gpus.at("after").at("nodes") == 0) return out;
    return out + " " + gpus_text(gpus) + ".";
}

std::string plan_text(const json& plan) {
    std::string out = findings_text(plan.at("findings"));
    const json& up = plan.at("scale_up");
    const json& down = plan.at("scale_down");
    add_verdict(out, up);
    for (const json& pool : plan.at("pools")) add_pool(out, pool);
    for (const json& pass : up.at("passes")) add_pass(out, pass);
    if (!up.at("cost_per_hour").is_null() && up.at("nodes") != 0)
        out += "costs " + money(up.at("cost_per_hour")) + " an hour more\n";
    if (!down.at("saves_per_hour").is_null() && down.at("nodes") != 0)
        out += "saves " + money(down.at("saves_per_hour")) + " an hour\n";
    if (plan.at("gpus").at("after").at("nodes") != 0) out += gpus_text(plan.at("gpus")) + "\n";
    if (const std::int64_t left = pods_left(plan); left > 0)
        out += counted(left, "pod") + " left without a place; gputided nodes explain says why\n";
    return out;
}

std::string explain_text(const json& plan, const std::string& only) {
    std::string out = findings_text(plan.at("findings"));
    for (const json& group : plan.at("groups")) {
        if (only.empty() || group.at("name") == only) explain_group(out, group);
    }
    for (const json& node : plan.at("nodes")) {
        if (only.empty() || node.at("name") == only) explain_node(out, node);
    }
    return out;
}

}  // namespace gputided
