// What the metrics APIs and the list of pods say about a workload → the metric's value of each pod, with its request, and the
// outcome of a fetch.  Pure.  How they become a replica count is decide/'s business.
#pragma once

#include "base/pod.hpp"
#include "base/result.hpp"
#include "source/kubernetes/metrics.hpp"
#include "source/kubernetes/pod_list.hpp"
#include "source/kubernetes/pods.hpp"
#include "source/source.hpp"

#include <vector>

namespace gputide::source::kubernetes {

// metrics.k8s.io.  A pod without the resource has no value, as for the HPA; without the named container it is an error.
result<std::vector<pod_value>> values_of(const result<std::vector<pod_use>>& uses, const pods_question& question);

// custom.metrics.k8s.io.
result<std::vector<pod_value>> values_of(const result<std::vector<metric_item>>& items);

// Requests join the values by the pods' names; a listed pod without a value gets an entry for its request alone.
void add_requests(const std::vector<listed_pod>& pods, const pods_question& question, std::vector<pod_value>& values);

// The sample's value is the sum, for people; the series are the pods that have a value.
fetched outcome_of(std::vector<listed_pod> pods, std::vector<pod_value> values);

}  // namespace gputide::source::kubernetes
