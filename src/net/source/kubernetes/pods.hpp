// The pods of a workload out of the core API: phase, readiness, requests.  Pure.
#pragma once

#include "base/pod.hpp"
#include "base/result.hpp"
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
    // sidecar: an init container that goes on running.
    enum class role : std::int32_t { init = 0, sidecar = 1, main = 2 };
    struct container {
        std::string name;
        listed_pod::role role = role::main;
        amounts requests;
    };

    pod_state state;
    std::vector<container> containers;  // init containers and sidecars first, in the order in which they start
    amounts pod_requests;               // spec.resources.requests, of the pod as a whole
    amounts overhead;

    // Returns the request of the pod, or of one container of it where a name is given.  Nothing where a request is missing,
    // which is an error to the HPA.
    // kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go (calculateRequests).
    std::optional<std::int64_t> request_of(std::string_view resource, std::string_view container_name) const;

    // Returns the container that request_of() lacked a request of; "" where it was the pod's own.
    std::string lacking_container(std::string_view resource, std::string_view container_name) const;

  private:
    bool has_own_requests() const;
};

// `from`: where the last page ended; "": from the start.
kube::endpoint pod_page(const std::string& name_space, const std::string& selector, const std::string& from);

// Appends a page; gives where it ended, "" where it is the last one.  Class limit beyond limits::series pods.
result<std::string> read_pods(const http::answer& answer, const kube::endpoint& endpoint,
                              std::vector<listed_pod>& pods);

// A Pods, Resource or ContainerResource metric of an HPA, out of the cluster: the target's selector, its pods with phase,
// readiness and requests, and the metric's value of each of them.  How they become a replica count is decide/'s business.

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

// Traits of these metrics, which have the type of a kubernetes trigger.
inline constexpr traits traits_of_pods{.is_granted_by_cluster = true};

// Answers of the metrics APIs and the list of pods → the metric's value of each pod, with its request, and the
// outcome of a fetch.  Pure.  How they become a replica count is decide/'s business.

// metrics.k8s.io.  A pod without the resource has no value, as for the HPA; without the named container it is an error.
result<std::vector<pod_value>> values_of(const result<std::vector<pod_use>>& uses, const pods_question& question);

// custom.metrics.k8s.io.
result<std::vector<pod_value>> values_of(const result<std::vector<metric_item>>& items);

// Requests join the values by the pods' names; a listed pod without a value gets an entry for its request alone.
void add_requests(const std::vector<listed_pod>& pods, const pods_question& question, std::vector<pod_value>& values);

// The sample's value is the sum, for people; the series are the pods that have a value.
fetched outcome_of(std::vector<listed_pod> pods, std::vector<pod_value> values);

}  // namespace gputide::source::kubernetes
