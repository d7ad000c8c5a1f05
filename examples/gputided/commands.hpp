// The subcommands.  Each returns an exit code; what keeps it from starting comes as gputide::failure (of the library) or
// usage_error.
#pragma once

#include "options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputided {

struct eval_options {
    options common;
    std::int32_t current = 0;
    std::int32_t ready = -1;  // -1: as current
    std::string at;           // RFC 3339 or Unix milliseconds; "": now
    std::string state;        // read, not written
    std::int32_t timeout_ms = 10'000;
};
int eval(const eval_options& from);

struct check_options {
    options common;
    bool fail_on_warning = false;
};
int check(const check_options& from);

struct doctor_options {
    options common;
    std::int32_t current = -1;  // -1: the manifest's minimum
    std::int32_t ready = -1;    // -1: as current
    std::int32_t timeout_ms = 20'000;
};
int doctor(const doctor_options& from);

struct token_options {
    options common;
    std::string scope = "https://prometheus.monitor.azure.com/.default";
    std::string credential = "provider: azure-default";  // "@FILE": from there
    bool show_token = false;
    std::int32_t timeout_ms = 30'000;
};
int token(const token_options& from);

int version(const options& from);

struct run_options {
    options common;
    bool dry_run = false;
    std::string exec;           // how to write a replica count
    std::string observe;        // how to read the counts; "": what was last written
    std::int32_t current = -1;  // -1: --observe or --state tells, or it is 1
    std::string listen = "127.0.0.1:9105";
    std::string state;
    std::int32_t timeout_ms = 10'000;
    std::int32_t child_timeout_ms = 30'000;
    std::int32_t most_children = 8;  // commands at a time
};
int run(const run_options& from);

struct replay_options {
    options common;
    std::vector<std::string> series;  // files; several: one per metric, in manifest order
    std::string sizes;                // a file with the recorded replica counts
    std::string from, to;             // empty: the whole series
    std::string step = "15s";
    std::string cache;
    std::string model = "open";
    std::vector<std::string> signals;
    double saturation = 100.0;
    std::vector<std::string> startup;
    std::string exporter, scrape, poll, sync, hold, flap_window;  // durations; empty: the default
    std::int64_t seed = 1;
    std::int32_t recorded_replicas = -1;
    std::int32_t initial_replicas = -1;
    std::vector<double> above;
    std::vector<std::string> set;  // name=value
    double gpus_per_replica = 0.0;
    double cost_per_gpu_hour = -1.0;
    std::string verify;  // a run log
    std::string html;
    std::int32_t timeout_ms = 60'000;  // of one range query
};
int replay(const replay_options& from);

struct compare_options {
    replay_options run;
    std::vector<std::string> against;   // further manifests
    std::vector<std::string> variants;  // "name: setting=value,setting=value" of the first
};
int compare(const compare_options& from);

struct tune_options {
    replay_options run;
    double most_above = -1.0;         // minutes above target per day; -1: no limit
    double most_flaps = -1.0;         // per day
    std::int32_t most_replicas = -1;  // at any time
    std::vector<std::string> tries;   // name=low:high:step or name=value,value; empty: the usual ones
    std::int32_t candidates = 400;
    double holdout = 0.3;   // the last part of the series, for validation alone
    std::int32_t jobs = 0;  // threads; 0: one per core
    bool all = false;       // list each rejected candidate
};
int tune(const tune_options& from);

}  // namespace gputided
