#include "nodes/agent_pools.hpp"

#include "common/log.hpp"
#include "common/subcommand.hpp"

#include <algorithm>

namespace gputided {
namespace {

using nlohmann::json;

json change_of(const std::string& pool, const agent_pool_options& options) {
    json out{{"cluster", options.cluster}, {"pool", pool}};
    if (!options.endpoint.empty()) out["endpoint"] = options.endpoint;
    return out;
}

json written(const gputide::credential& credential, const json& change, const agent_pool_options& options) {
    return json::parse(credential.write_agent_pool(change.dump(), options.timeout_ms));
}

// "count 1 -> 3"
std::string difference(const json& outcome, const char* member) {
    return std::string(member) + " " + outcome.at("before").at(member).dump() + " -> " +
           outcome.at("after").at(member).dump();
}

std::string outcome_line(const json& outcome) {
    const auto state = outcome.at("state").get<std::string>();
    std::string out = outcome.at("pool").get<std::string>() + ": ";
    if (state == "unchanged") return out + "has that size already";
    out += difference(outcome, outcome.at("autoscaling").get<bool>() ? "min" : "count");
    if (state == "dry") return out + " would be written; --write does it";
    if (state == "running") return out + " is accepted and goes on";
    return out + " is written, and its nodes are there";
}

void grow(const json& pool, const gputide::credential& credential, const agent_pool_options& options) {
    json change = change_of(pool.at("id").get<std::string>(), options);
    const json now = written(credential, change, options);  // dry, and nothing asked for: tells who scales the pool
    const std::int64_t wanted = pool.at("size").get<std::int64_t>() + pool.at("add").get<std::int64_t>();
    const char* const member = now.at("autoscaling").get<bool>() ? "min" : "count";
    change[member] = std::max(wanted, now.at("before").at(member).get<std::int64_t>());
    change["dry"] = !options.write;
    log_line(outcome_line(written(credential, change, options)));
}

}  // namespace

void add_agent_pool_flags(CLI::App& app, agent_pool_options& options) {
    const char* const group = "Carrying it out on AKS";
    app.add_option("--aks", options.cluster,
                   "the cluster's resource id (/subscriptions/...): pools that are to grow are compared with it")
        ->type_name("ID")
        ->group(group);
    app.add_flag("--write", options.write, "write their counts, or minimums where AKS' autoscaler scales them")
        ->needs("--aks")
        ->group(group);
    app.add_option("--credential", options.credential, "podIdentity block or TriggerAuthentication, or @FILE with one")
        ->capture_default_str()
        ->group(group);
    app.add_option("--arm-endpoint", options.endpoint, "of Azure Resource Manager, where it is not the public cloud's")
        ->type_name("URL")
        ->group(group);
    add_milliseconds(app, "--timeout-ms", options.timeout_ms, "for one pool; an operation that runs longer goes on");
}

void write_agent_pools(const json& plan, const agent_pool_options& options, const shared_options& shared) {
    const std::vector<manifest_file> files{text_or_file("--credential", options.credential)};
    const auto credential = gputide::credential::open(files.front().text, library_options(shared, files));
    bool any = false;
    for (const json& pool : plan.at("pools")) {
        if (pool.at("add").get<std::int64_t>() <= 0) continue;
        any = true;
        grow(pool, credential, options);
    }
    if (!any) log_line("no pool is to grow");
    if (plan.at("scale_down").at("nodes").get<std::int64_t>() > 0)
        log_line("nodes that may go are left to AKS: a smaller count does not say which one goes");
}

}  // namespace gputided
