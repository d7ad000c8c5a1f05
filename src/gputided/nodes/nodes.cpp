#include "nodes/nodes.hpp"

#include "common/clock.hpp"
#include "common/exit_status.hpp"
#include "common/files.hpp"
#include "common/shared_options.hpp"
#include "common/times.hpp"
#include "nodes/agent_pools.hpp"
#include "nodes/cluster.hpp"
#include "nodes/page/page.hpp"
#include "nodes/placeholders.hpp"
#include "nodes/text.hpp"

#include <iostream>

namespace gputided {
namespace {

struct nodes_options {
    shared_options shared;
    std::string state_file;
    std::string at;
    std::string only;
    std::string html;
    bool placeholders = false;
    bool kubernetes = false;
    agent_pool_options agent_pools;
};

gputide::nodes_plan plan_of(const nodes_options& options) {
    std::string text;
    for (const std::string& path : options.shared.files) text += read_text(path, most_series_bytes) + "\n---\n";
    if (options.kubernetes) text += read_cluster(options.shared);
    const bool remembers = !options.state_file.empty() && exists(options.state_file);
    const std::string state = remembers ? read_text(options.state_file) : std::string();
    const std::int64_t now_ms = options.at.empty() ? unix_now_ms() : parse_time_ms(options.at);
    gputide::nodes_plan plan = gputide::plan_nodes(text, state, now_ms);
    if (!options.state_file.empty()) replace_text(options.state_file, plan.state);
    return plan;
}

int shown(const nodes_options& options, const std::function<std::string(const nlohmann::json&)>& text) {
    const gputide::nodes_plan made = plan_of(options);
    const nlohmann::json plan = nlohmann::json::parse(made.json);
    if (!options.html.empty()) replace_text(options.html, plan_page(plan), readers::everybody);
    std::cout << (options.shared.json() ? made.json + "\n" : text(plan)) << std::flush;
    if (!options.agent_pools.cluster.empty()) write_agent_pools(plan, options.agent_pools, options.shared);
    return made.summary.errors > 0 || made.summary.pods_left > 0 ? finding : done;
}

int plan(const nodes_options& options) { return shown(options, options.placeholders ? placeholder_pods : plan_text); }

int explain(const nodes_options& options) {
    return shown(options, [&](const nlohmann::json& made) { return explain_text(made, options.only); });
}

void add_plan_flags(CLI::App& app, nodes_options& options) {
    const CLI::Option* const files =
        app.add_option(
               "-f,--file", options.shared.files,
               "pools, settings, and what kubectl get nodes,pods -A -o json prints; -: standard input; may be repeated")
            ->type_name("FILE");
    const CLI::Option* const cluster = app.add_flag(
        "--kubernetes", options.kubernetes, "read nodes, pods and PodDisruptionBudgets from the cluster itself");
    app.parse_complete_callback([files, cluster] {
        if (files->empty() && cluster->empty()) throw CLI::ValidationError("one of --file and --kubernetes is needed");
    });
    app.add_option("--state", options.state_file, "what the last plan left for this one; written anew")
        ->type_name("FILE");
    app.add_option("--at", options.at, "plan at this time (RFC 3339 or Unix milliseconds); default: now");
    app.add_option("--html", options.html,
                   "write the plan here, too: one file with its picture, nothing loaded from elsewhere")
        ->type_name("FILE");
    add_output_flag(app, options.shared);
    add_trust_flags(app, options.shared);
}

void add_plan_and_act_flags(CLI::App& app, nodes_options& options) {
    add_plan_flags(app, options);
    app.add_flag("--placeholders", options.placeholders,
                 "print pause pods that make the cluster's own autoscaler add these nodes, for kubectl apply -f -");
    add_agent_pool_flags(app, options.agent_pools);
}

void add_explain_flags(CLI::App& app, nodes_options& options) {
    add_plan_flags(app, options);
    app.add_option("--only", options.only, "of that group of pods, or that node, alone")->type_name("NAME");
}

}  // namespace

void add_nodes_plan(subcommands& commands) {
    commands.add("nodes-plan", "gputided nodes plan: nodes to add for pods that wait, and nodes that may go",
                 "kubectl get nodes,pods -A -o json | gputided nodes plan -f pools.yaml -f -", &plan,
                 &add_plan_and_act_flags);
}

void add_nodes_explain(subcommands& commands) {
    commands.add("nodes-explain", "gputided nodes explain: why a pod finds no node, and why a node stays",
                 "gputided nodes explain -f pools.yaml -f cluster.json --only default/train", &explain,
                 &add_explain_flags);
}

}  // namespace gputided
