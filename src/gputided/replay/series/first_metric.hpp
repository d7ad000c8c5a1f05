// What a replay has to know of the first metric: whether its value is shared by the replicas, and how series of containers become
// one.
#pragma once

#include "common/manifests.hpp"
#include "replay/replay.hpp"

#include <string>
#include <vector>

namespace gputided {

struct first_metric {
    std::string kind;  // External, Object, Pods, Resource, ContainerResource
    std::string type;  // AverageValue, Value, Utilization
    std::string asks;  // the query, or the metric on a page; "": unknown
};

first_metric first_metric_of(const replay_options& options, const std::string& scaler,
                             const std::vector<manifest_file>& files);

// "avg" of `avg by (pod) (x)`; "" where the query begins with no aggregation of PromQL's.
std::string aggregation_of(const std::string& query);

// It falls when replicas are added: a mean over them, or a value that is compared as it is.
bool is_mean_over_replicas(const first_metric& metric);

}  // namespace gputided
