// gputided nodes plan, gputided nodes explain: plan GPU nodes for the pods in files or in a cluster, and write the plan to AKS.
#include "nodes/nodes.hpp"

#include "common/log.hpp"
#include "common/options.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <set>

namespace gputided {
namespace {

// Writing a plan to AKS: a pool that must grow gets a larger count, or a larger minimum if AKS' autoscaler scales it.
struct agent_pool_options {
    std::string cluster;  // resource id; "": only print the plan
    std::string credential = "provider: azure-default";
    std::string endpoint;               // of Azure Resource Manager; "": the public cloud's
    bool write = false;                 // false: only log the changes
    std::int32_t timeout_ms = 900'000;  // per pool
};

struct nodes_options {
    shared_options shared;
    std::string state_file;
    std::string at;
    std::string only;
    std::string html;
    bool placeholders = false;
    bool buffers = false;
    bool defragment = false;
    bool kubernetes = false;
    agent_pool_options agent_pools;
};

// A kind of objects beside nodes and pods.
struct cluster_kind {
    const char* group;  // path of the API group
    const char* plural;
    std::vector<const char*> versions;  // that are read, the newest first
    const char* without;                // what follows from a missing right; nullptr: gangs are planned without it
    std::string only_with;              // an entry of read_cluster()'s `there`; "": always read
};

const std::vector<cluster_kind>& cluster_kinds() {
    static constexpr char devices[] = "the plan ignores DRA devices that it cannot read";
    static const std::vector<cluster_kind> out{
        {"/apis/policy", "poddisruptionbudgets", {"v1"}, "nodes to remove are planned without PodDisruptionBudgets"},
        {"/apis/apps", "daemonsets", {"v1"}, "new nodes of empty pools are planned without DaemonSets"},
        {"/api",
         "persistentvolumeclaims",
         {"v1"},
         "pods with volumes are not placed without PersistentVolumeClaims",
         "volumes"},
        {"/api", "persistentvolumes", {"v1"}, "pods with volumes are not placed without PersistentVolumes", "volumes"},
        // Dynamic resource allocation; without slices nothing else of it is needed.
        {"/apis/resource.k8s.io", "resourceslices", {"v1", "v1beta2", "v1beta1"}, devices},
        {"/apis/resource.k8s.io", "deviceclasses", {"v1", "v1beta2", "v1beta1"}, devices, "resourceslices"},
        {"/apis/resource.k8s.io", "resourceclaims", {"v1", "v1beta2", "v1beta1"}, devices, "resourceslices"},
        {"/apis/resource.k8s.io", "resourceclaimtemplates", {"v1", "v1beta2", "v1beta1"}, devices, "resourceslices"},
        {"/apis/resource.k8s.io", "devicetaintrules", {"v1", "v1beta2", "v1alpha3"}, devices, "resourceslices"},
        // Pods that belong together, and objects that stand for pods.
        {"/apis/leaderworkerset.x-k8s.io", "leaderworkersets", {"v1"}},
        {"/apis/jobset.x-k8s.io", "jobsets", {"v1", "v1alpha2"}},
        {"/apis/kueue.x-k8s.io", "workloads", {"v1beta2", "v1beta1"}},
        {"/apis/scheduling.k8s.io", "podgroups", {"v1beta1", "v1alpha3", "v1alpha2"}},
        {"/apis/scheduling.k8s.io", "workloads", {"v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"}},
        {"/apis/scheduling.x-k8s.io", "podgroups", {"v1alpha1"}},
        {"/apis/scheduling.volcano.sh", "podgroups", {"v1beta1"}},
        {"/apis/autoscaling.x-k8s.io", "provisioningrequests", {"v1", "v1beta1"}},
        {"/apis/autoscaling.x-k8s.io", "capacitybuffers", {"v1beta1", "v1alpha1"}},
        {"/api", "podtemplates", {"v1"}, nullptr, "/apis/autoscaling.x-k8s.io"}};
    return out;
}

// Lists nodes, unfinished pods, PodDisruptionBudgets, DaemonSets, volumes and the objects of DRA and gangs from the API server.
// Throws gputide::failure; but logs and skips kinds other than nodes and pods that may not be read.
std::string read_cluster(const shared_options& shared) {
    constexpr std::int32_t list_timeout_ms = 60'000;  // the API server's own limit for a list
    const gputide::options options = library_options(shared, {{"--kubernetes", ""}});
    const auto list = [&](const std::string& path) {
        return gputide::list_cluster(path.c_str(), list_timeout_ms, options);
    };
    std::string out = list("/api/v1/nodes");
    const std::size_t pods = out.size();
    out += list("/api/v1/pods?fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed");
    std::set<std::string> there;  // kinds and groups that the cluster has, and "volumes"
    if (out.find("\"persistentVolumeClaim\"", pods) != std::string::npos) there.insert("volumes");
    std::vector<std::string> forbidden;  // kinds of gangs, which are looked for without being needed
    // Returns false if the cluster does not have this version of a kind.
    const auto add = [&](const std::string& path, const char* without) {
        try {
            out += list(path);
        } catch (const gputide::failure& failed) {
            if (failed.error().http_status == 404) return false;
            if (failed.status() != GPUTIDE_E_FORBIDDEN) throw;
            if (without == nullptr) {
                forbidden.push_back(path);
            } else {
                log_line(without + std::string(": ") + failed.what(), log_level::warning);
            }
        }
        return true;
    };
    for (const cluster_kind& kind : cluster_kinds()) {
        if (!kind.only_with.empty() && there.count(kind.only_with) == 0) continue;
        const bool is_there = std::ranges::any_of(kind.versions, [&](const char* version) {
            return add(std::string(kind.group) + "/" + version + "/" + kind.plural, kind.without);
        });
        if (!is_there) continue;
        there.insert(kind.group);
        there.insert(kind.plural);
    }
    if (!forbidden.empty())
        log_line("gangs are planned without kinds that this account may not list: " + joined(forbidden, ", "),
                 log_level::warning);
    return out;
}

std::string outcome_line(const json& outcome) {
    const std::string state = text_at(outcome, "state");
    if (state == "unchanged") return format_members("{pool}: already has this size", outcome);
    return format_members(outcome.at("autoscaling") == true ? "{pool}: min {/before/min} -> {/after/min}"
                                                            : "{pool}: count {/before/count} -> {/after/count}",
                          outcome) +
           (state == "dry"       ? " would be written; give --write to write it"
            : state == "running" ? " is accepted; the operation still runs"
                                 : " is written; the operation succeeded");
}

void grow_pool(const json& pool, const gputide::credential& credential, const agent_pool_options& options) {
    const auto write = [&](const json& change) {
        return json::parse(credential.write_agent_pool(change.dump(), options.timeout_ms));
    };
    json change{{"cluster", options.cluster}, {"pool", pool.at("id")}};
    if (!options.endpoint.empty()) change["endpoint"] = options.endpoint;
    const json now = write(change);  // a dry run without a size reports whether AKS scales the pool
    const std::int64_t wanted = integer_at(pool, "size") + integer_at(pool, "add");
    const char* const member = now.at("autoscaling").get<bool>() ? "min" : "count";
    change[member] = std::max(wanted, integer_at(now.at("before"), member));
    change["dry"] = !options.write;
    log_line(outcome_line(write(change)));
}

// Writes the pools one by one and logs each.  Throws gputide::failure for the first failed one.
void write_agent_pools(const json& plan, const nodes_options& options) {
    const gputide::credential credential = open_credential(options.agent_pools.credential, options.shared);
    const auto grows = [](const json& pool) { return integer_at(pool, "add") > 0; };
    for (const json& pool : plan.at("pools")) {
        if (grows(pool)) grow_pool(pool, credential, options.agent_pools);
    }
    if (std::ranges::none_of(plan.at("pools"), grows)) log_line("no pool needs to grow");
    if (integer_at(plan.at("scale_down"), "nodes") > 0)
        log_line("nodes that can be removed are left to AKS, because a smaller count does not select a node");
}

// Changes a line of the joined text, in `found`, to the file and its own line.  Without a line only a single file is known.
void name_file(ordered_json& found, const joined_texts& files) {
    const std::int64_t line = found.value("line", std::int64_t{0});
    if (line == 0) {
        found["file"] = files.first_lines.size() == 1 ? files.first_lines.begin()->second : "";
        return;
    }
    const auto after = files.first_lines.upper_bound(line);
    if (after == files.first_lines.begin()) return;
    const auto& [first_line, path] = *std::prev(after);
    found["file"] = path;
    found["line"] = line - first_line + 1;
}

// Replaces the places of further errors in a message, "; text:207", by the file and its own line.
std::string with_files(const std::string& message, const joined_texts& files) {
    constexpr std::string_view mark = "; text:";
    std::string out;
    std::size_t at = 0;
    for (std::size_t next = message.find(mark); next != std::string::npos; next = message.find(mark, at)) {
        const std::size_t begin = next + mark.size(), end = message.find_first_not_of("0123456789", begin);
        ordered_json place{{"line", std::strtoll(message.c_str() + begin, nullptr, 10)}};
        name_file(place, files);
        out += message.substr(at, next - at) + "; " + file_place(place);
        at = std::min(end, message.size());
    }
    return out + message.substr(at);
}

// Returns the failure with the file and its own line as its place.
gputide::failure named_failure(const gputide::failure& failed, const joined_texts& files) {
    gputide_error out = failed.error();
    ordered_json known = ordered_json::parse(out.detail, nullptr, false);
    if (!known.is_object() || !known.contains("line")) return failed;
    name_file(known, files);
    const std::string path = known.value("path", "");
    const std::string where = file_place(known) + (path.empty() ? "" : " " + path);
    const std::string detail = dumped(known);
    std::snprintf(out.where, sizeof out.where, "%s", where.c_str());
    std::snprintf(out.message, sizeof out.message, "%s", with_files(failed.error().message, files).c_str());
    if (detail.size() < sizeof out.detail) std::snprintf(out.detail, sizeof out.detail, "%s", detail.c_str());
    return gputide::failure(out);
}

// Names the files in the findings of a plan.
void name_files(gputide::nodes_plan& plan, const joined_texts& files) {
    if (json_member(json_member(plan.json, "findings"), "findings") == "[]") return;
    ordered_json whole = ordered_json::parse(plan.json);
    for (ordered_json& found : whole.at("findings").at("findings")) name_file(found, files);
    plan.json = dumped(whole);
}

gputide::nodes_plan plan_of(const nodes_options& options) {
    joined_texts files = read_texts(options.shared.files, max_series_bytes);
    std::string& text = files.text;
    if (options.kubernetes) {
        files.first_lines[1 + std::count(text.begin(), text.end(), '\n')] = "--kubernetes";
        text += read_cluster(options.shared);
    }
    if (options.defragment) text += R"({"options":{"defragment":true}})";
    const bool has_state = !options.state_file.empty() && exists(options.state_file);
    const std::string state = has_state ? read_text(options.state_file) : std::string();
    gputide::nodes_plan plan = [&] {
        try {
            return gputide::plan_nodes(text, state, time_or_now_ms(options.at));
        } catch (const gputide::failure& failed) {
            throw named_failure(failed, files);
        }
    }();
    name_files(plan, files);
    if (!options.state_file.empty()) replace_text(options.state_file, plan.state);
    return plan;
}

int show_plan(const nodes_options& options, const std::function<std::string(const json&)>& text) {
    const gputide::nodes_plan made = plan_of(options);
    const json plan = json::parse(made.json);
    if (!options.html.empty()) replace_text(options.html, plan_page(plan), readers::everybody);
    std::cout << (options.shared.json() ? made.json + "\n" : text(plan)) << std::flush;
    if (!options.agent_pools.cluster.empty()) write_agent_pools(plan, options);
    const bool complete = made.summary.errors == 0 && made.summary.pods_left == 0 && plan.at("unmodeled").empty();
    return complete ? done : finding;
}

int plan(const nodes_options& options) {
    return show_plan(options, options.buffers ? capacity_buffers : options.placeholders ? placeholder_pods : plan_text);
}

int explain(const nodes_options& options) {
    bool found = true;
    const int status = show_plan(options, [&](const json& made) {
        std::string out = explain_text(made, options.only);
        found = options.only.empty() || !out.empty();
        return out;
    });
    if (found) return status;
    log_line("no group of pods and no node has the name " + options.only + " or a name that begins with it",
             log_level::error);
    return finding;
}

void add_shared_flags(CLI::App& app, nodes_options& options) {
    option_list add(app);
    add("-f,--file FILE", options.shared.files,
        "pools, settings, and the output of kubectl get nodes,pods,pvc,pv,pdb,ds -A -o json; -: standard "
        "input; repeatable");
    add("--kubernetes", options.kubernetes,
        "read nodes, pods, budgets, DaemonSets, volumes, devices and gangs from the cluster");
    add("--state FILE", options.state_file, "state file of the last plan; read, then replaced");
    add("--at", options.at, "plan at this time (RFC 3339 or Unix milliseconds); default: now");
    add("--html FILE", options.html, "also write the plan as an HTML file, which loads nothing");
    app.parse_complete_callback([&options] {
        if (options.shared.files.empty() && !options.kubernetes)
            throw CLI::ValidationError("give --file, --kubernetes, or both");
    });
    add_output_option(app, options.shared);
    add_trust_options(app, options.shared);
}

}  // namespace

void add_nodes_plan(subcommands& commands) {
    nodes_options& options =
        commands.add("nodes-plan", "Nodes to add for pending pods, and nodes to remove",
                     "kubectl get nodes,pods,pvc,pv,pdb,ds -A -o json | gputided nodes plan -f pools.yaml -f -", &plan);
    CLI::App& app = commands.app();
    add_shared_flags(app, options);
    option_list add(app);
    add("--defragment", options.defragment,
        "plan as if the moves that free nodes were made, instead of only naming them");
    add("--placeholders", options.placeholders,
        "print pause pods that make the cluster's autoscaler add these nodes, for kubectl apply -f -");
    add("--buffers", options.buffers, "print CapacityBuffers that make cluster-autoscaler keep these nodes ready");
    agent_pool_options& pools = options.agent_pools;
    add.start_group("Writing the plan to AKS");
    add("--aks ID", pools.cluster, "the cluster's resource id (/subscriptions/...); compares the plan with its pools");
    add("--write", pools.write, "write the pools' counts, or their minimums if AKS' autoscaler scales them")
        .only_with("--aks");
    add_credential(add, pools.credential);
    add("--arm-endpoint URL", pools.endpoint, "of Azure Resource Manager; default: the public cloud's");
    add_timeout(add, pools.timeout_ms, "for one pool; a longer operation continues");
}

void add_nodes_explain(subcommands& commands) {
    nodes_options& options =
        commands.add("nodes-explain", "Why a pod finds no node, and why a node stays",
                     "gputided nodes explain -f pools.yaml -f cluster.json --only default/train", &explain);
    CLI::App& app = commands.app();
    add_shared_flags(app, options);
    option_list add(app);
    add("--only NAME", options.only,
        "only the group of pods or the node with this name, or all with names that begin with it");
}

}  // namespace gputided
