// gputided run: polls, decides and writes until it is stopped, and shows that on pages of its own.
#pragma once

#include "common/cluster_options.hpp"
#include "common/shared_options.hpp"
#include "common/subcommand.hpp"
#include "run/decision_lines.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputided {

struct run_options {
    shared_options shared;
    bool dry_run = false;
    std::string exec;           // how to write a replica count
    std::string observe;        // how to read the counts; "": what was last written
    std::int32_t current = -1;  // -1: --observe or --state tells, or it is 1
    std::vector<std::string> listen = {"127.0.0.1:9105"};
    std::string listen_token_file;  // "": pages with names are for this machine alone
    log_scope log = log_scope::changes;
    gputided::log_form log_form = gputided::log_form::full;
    std::string health_listen;       // "": none of its own
    std::vector<std::string> hosts;  // further names that the pages answer to
    std::string state;
    std::int32_t timeout_ms = 10'000;
    std::int32_t child_timeout_ms = 30'000;
    std::int32_t most_children = 8;  // commands at a time
    cluster_options cluster;
    std::string selector;  // these, of --kubernetes alone
    std::int32_t lease_s = 15;
    std::string identity;
    std::string owner = "gputide";
    std::vector<std::string> tenants;               // "NAME=NAMESPACE": what manifests there may do
    std::vector<std::string> cluster_secret_hosts;  // empty: any host
};

void add_run(subcommands& commands);

}  // namespace gputided
