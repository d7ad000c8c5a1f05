// The pods of a workload from the core API: phase, readiness, requests.  Pure.
#pragma once

#include "base/result.hpp"
#include "base/sample.hpp"
#include "http/message.hpp"
#include "kube/endpoint.hpp"
#include "source/kubernetes/metrics.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gputide::source::kubernetes {

using amounts = std::vector<std::pair<std::string, std::int64_t>>;  // thousandths by resource

struct listed_pod {
    // sidecar: an init container that keeps running.
    enum class role : std::int32_t { init = 0, sidecar = 1, main = 2 };
    struct container {
        std::string name;
        listed_pod::role role = role::main;
        amounts requests;
    };

    pod_state state;
    std::vector<container> containers;  // init containers and sidecars first, in start order
    amounts pod_requests;               // spec.resources.requests of the pod itself
    amounts overhead;

    // Returns the request of the pod, or of one container if a name is given.  Returns nullopt if a request is missing, which is
    // an error for the HPA. kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go (calculateRequests).
    std::optional<std::int64_t> request_of(std::string_view resource, std::string_view container_name) const;

    // Returns the container without a request, if request_of() returned nullopt, or "" if the pod's own request was missing.
    std::string lacking_container(std::string_view resource, std::string_view container_name) const;

  private:
    bool has_own_requests() const;
};

// Returns the endpoint of a page of pods.  `from`: the end of the last page; "": the first page.
kube::endpoint pod_page(const std::string& name_space, const std::string& selector, const std::string& from);

// Appends a page and returns its continue token, "" after the last page.  Class limit beyond limits::series pods.
result<std::string> read_pods(const http::answer& answer, const kube::endpoint& endpoint,
                              std::vector<listed_pod>& pods);

// A Pods, Resource or ContainerResource metric of an HPA, read from the cluster: the target's selector, its pods with phase,
// readiness and requests, and the metric's value of each pod. decide/ computes the replica count.

struct pods_query {
    std::string label;  // label of the metric, for errors: "metric 0 (cpu)"
    std::string name_space;
    std::string target_api_version;  // of the scaled workload
    std::string target_kind;
    std::string target_name;
    bool is_resource = false;     // metrics.k8s.io; otherwise custom.metrics.k8s.io
    std::string metric;           // name of the metric or resource
    std::string metric_selector;  // custom: labels of the metric
    std::string container;        // resource: only this container
};

// Describes the metric.  fetch() fills `pods`; the sample's value is their sum, for display.  Reads one after the other: the
// target's scale, its pods, the values.
description describe_pods(const pods_query& wanted_pods);
result<std::shared_ptr<metric_source>> open_pods(const description& described, const services& services);

// Traits of these metrics, which have the type of a kubernetes trigger.
inline constexpr traits traits_of_pods{.is_granted_by_cluster = true};

// Combines the responses of the metrics APIs and the list of pods to the metric's value and request of each pod.  Pure. decide/
// computes the replica count.

// Returns values from metrics.k8s.io.  A pod without the resource has no value, as for the HPA; a pod without the named container
// is an error.
result<std::vector<pod_value>> values_of(const result<std::vector<pod_use>>& uses, const pods_query& wanted_pods);

// Returns values from custom.metrics.k8s.io.
result<std::vector<pod_value>> values_of(const result<std::vector<metric_item>>& items);

// Adds the pods' requests to the values by pod name.  A listed pod without a value gets an entry with only its request.
void add_requests(const std::vector<listed_pod>& pods, const pods_query& wanted_pods, std::vector<pod_value>& values);

// Returns the result of a fetch.  The sample's value is the sum, for display; the series are the pods that have a value.
fetched outcome_of(std::vector<listed_pod> pods, std::vector<pod_value> values);

}  // namespace gputide::source::kubernetes
