// gputided run: polls, decides and writes until it is stopped, and serves its pages.
#pragma once

#include "common/options.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gputided {

struct run_options {
    shared_options shared;
    bool dry_run = false;
    std::string exec;           // command that writes a replica count
    std::string observe;        // command that prints the counts; "": the last written count
    std::int32_t current = -1;  // -1: from --observe or --state, else 1
    std::vector<std::string> listen = {"127.0.0.1:9105"};
    std::string listen_token_file;  // "": only this machine may read pages with names
    std::string log = "changes";    // or all
    std::string log_form = "full";  // or compact
    std::string health_listen;      // "": none
    std::string audit_log;          // "": none
    std::int32_t audit_log_mib = 16;
    std::vector<std::string> hosts;  // additional host names of the pages
    std::string state;
    std::int32_t timeout_ms = 10'000;
    std::int32_t child_timeout_ms = 30'000;
    std::int32_t max_children = 8;  // maximum number of running commands
    cluster_options cluster;
    std::string selector;  // this and the members below: only with --kubernetes
    std::int32_t lease_s = 15;
    std::string identity;
    std::string owner = "gputide";
    std::vector<std::string> tenants;  // "NAME=NAMESPACE": permissions of manifests there
    bool ask_back = false;
    std::int32_t start_delay_s = 900;
    std::vector<std::string> cluster_secret_hosts;  // empty: any host
};

// Maximum delay of the loop on a busy machine; /healthz reports a longer delay as stuck.
inline constexpr std::int64_t slack_ms = 60'000;

class paged_daemon;
class run_output;
class signals;

// Open a daemon for the files of -f, or for a cluster.  options, signals and output must outlive it.  Throw usage_error or
// gputide::failure if a file cannot be used, a scaler cannot start, or no API server is configured.
std::unique_ptr<paged_daemon> open_scaling_daemon(const run_options& options, signals& signals, run_output& output);
std::unique_ptr<paged_daemon> open_cluster_daemon(const run_options& options, signals& signals, run_output& output);

}  // namespace gputided
