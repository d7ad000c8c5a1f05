// gputided rightsize: from samples of GPU memory and utilisation to what each container really needs.  Reads files, a Prometheus
// or this machine's GPUs, acts on nothing; --state alone is written.
#pragma once

#include "common/shared_options.hpp"
#include "common/subcommand.hpp"
#include "rightsize/past.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputided {

struct rightsize_options {
    shared_options shared;            // files: settings, catalogue, VerticalPodAutoscaler
    std::vector<std::string> busy;    // CSV: utilisation in percent, or cores
    std::vector<std::string> memory;  // CSV: memory in bytes
    std::vector<std::string> pages;   // /metrics of dcgm-exporter, one scrape each, the newest last
    std::string page_step = "30s";    // how far pages lie apart
    std::string memory_unit = "bytes";
    usage_past past;
    std::string step = "1m";  // of both that follow
    bool nvml = false;
    std::string nvml_for = "10m";
    std::string container;  // this one alone
    std::string at;         // RFC 3339 or Unix milliseconds; "": the newest sample's time
    std::string state;      // checkpoints: read where it is there, and replaced
    bool patch = false;
    std::string html;
};

void add_rightsize(subcommands& commands);

}  // namespace gputided
