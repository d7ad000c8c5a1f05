// gputided replay: recorded metrics through the decision code.
#pragma once

#include "common/shared_options.hpp"
#include "common/subcommand.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

struct replay_options {
    shared_options shared;
    std::vector<std::string> series;  // files; several: one per metric, in manifest order
    std::string sizes;                // a file with the recorded replica counts
    std::string from, to;             // empty: the whole series
    std::string step = "15s";
    std::string cache;
    std::string model;  // "": closed where the metric is a mean over replicas whose number is known, else open
    std::vector<std::string> signals;
    double saturation = 100.0;
    std::vector<std::string> startup;
    std::string exporter, scrape, poll, sync, hold, flap_window;  // durations; empty: the default
    std::int64_t seed = 1;
    std::int32_t recorded_replicas = -1;
    std::int32_t initial_replicas = -1;
    std::vector<double> above;
    std::vector<std::string> set;  // name=value
    std::optional<double> gpus_per_replica;
    std::optional<double> cost_per_gpu_hour;
    std::string verify;  // a run log
    std::string html;
    std::string pools;                 // JSON: node pools, and what one replica asks for
    std::int32_t timeout_ms = 60'000;  // of one range query
};

void add_replay(subcommands& commands);

// What is replayed, and how: the flags that replay, compare and tune share.
void add_replay_flags(CLI::App& app, replay_options& options);

}  // namespace gputided
