// Parses the responses of the Kubernetes metrics APIs; items keep their order.  Pure.  Quantities become integer thousandths
// without floating point, rounded away from zero; a quantity beyond int64 is an error (class range).  Types: kubernetes/metrics
// pkg/apis/{custom_metrics,external_metrics,metrics}.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "kube/endpoint.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gputide::source::kubernetes {

// The value that an adapter sends for NaN if it converts floats unchecked: INT64_MIN thousandths.  Not a measurement.
inline constexpr std::int64_t nan_in_disguise_milli = std::numeric_limits<std::int64_t>::min();
inline constexpr double thousandths = 1'000.0;  // per unit

struct metric_item {
    std::string kind;  // of the described object: "Pod"; "" for an external metric
    std::string name;  // of the described object: "a"; "" for an external metric
    source::labels labels;
    std::int64_t milli = 0;
    std::optional<std::int64_t> time_ms;  // Unix time; nullopt: the server sent none
    std::optional<std::int64_t> window_s;
};

// Parses custom.metrics.k8s.io v1beta1 and v1beta2.  Null or missing `items` are an empty list.
result<std::vector<metric_item>> read_custom(const http::answer& answer, const kube::endpoint& endpoint);

// Parses external.metrics.k8s.io v1beta1.
result<std::vector<metric_item>> read_external(const http::answer& answer, const kube::endpoint& endpoint);

struct container_use {
    std::string name;
    std::vector<std::pair<std::string, std::int64_t>> usage_milli;  // by resource: "cpu" 250, "memory" ...

    std::optional<std::int64_t> of(std::string_view resource) const;
};

struct pod_use {
    std::string name;
    std::optional<std::int64_t> time_ms;
    std::optional<std::int64_t> window_ms;
    std::vector<container_use> containers;
};

// Parses metrics.k8s.io v1beta1, kind PodMetricsList.
result<std::vector<pod_use>> read_pod_metrics(const http::answer& answer, const kube::endpoint& endpoint);

// Tells whether the pod's metrics list the container.
bool has_container(const pod_use& pod, std::string_view container);

// Returns the usage of a resource by a pod, or by one of its containers if `container` is not empty.  Returns nullopt if a
// required container has no such metric or is not listed: the HPA then treats the pod as one without a metric.
// kubernetes/kubernetes pkg/controller/podautoscaler/metrics/client.go (getPodMetrics, getContainerMetrics).
std::optional<std::int64_t> use_of(const pod_use& pod, std::string_view resource, std::string_view container);

}  // namespace gputide::source::kubernetes
