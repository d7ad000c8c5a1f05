// Which part of a Kubernetes cluster to work on, and who may: flags of `run --kubernetes` and `doctor --kubernetes`.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gputided {

struct cluster_options {
    bool kubernetes = false;  // else the rest says nothing
    bool shadow = false;
    std::vector<std::string> namespaces;
    std::string lease = "gputide";  // NAME or NAMESPACE/NAME
    std::int32_t shards = 1;
    std::string hpa_version;  // "": as found on the cluster
    std::string keda_version;
};

// --kubernetes, as `what` explains it, and the others.  Gives --kubernetes, which those need.
CLI::Option* add_cluster_flags(CLI::App& app, cluster_options& options, const char* what);

// As further flags of the same group.
void add_to_cluster_flags(CLI::Option* whole, const std::vector<CLI::Option*>& parts);

// What gputide_runtime_attach_cluster and gputide_doctor_cluster take.
nlohmann::ordered_json cluster_settings(const cluster_options& options);

}  // namespace gputided
