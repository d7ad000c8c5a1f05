// A Pods, Resource or ContainerResource metric of an HPA, out of the cluster: the target's selector, its pods with phase,
// readiness and requests, and the metric's value of each of them.  How they become a replica count is decide/'s business.
#pragma once

#include "source/source.hpp"

#include <string>

namespace gputide::source::kubernetes {

struct pods_question {
    std::string label;  // of the metric, for errors: "metric 0 (cpu)"
    std::string name_space;
    std::string target_api_version;  // of the workload that is scaled
    std::string target_kind;
    std::string target_name;
    bool is_resource = false;     // metrics.k8s.io, else custom.metrics.k8s.io
    std::string metric;           // its name, or the resource's
    std::string metric_selector;  // custom: labels of the metric
    std::string container;        // resource: this one alone
};

// fetch() gives `pods`; the sample's value is their sum, for people.  Asks in turn: the target's scale, its pods, the values.
description describe_pods(const pods_question& question);
result<std::shared_ptr<metric_source>> open_pods(const description& described, const services& services);

// Of these metrics, which have the type of a kubernetes trigger.
inline constexpr traits traits_of_pods{.is_granted_by_cluster = true};

}  // namespace gputide::source::kubernetes
