// The trigger type kubernetes: keys, settings, API version, requests and responses, and the metrics of HPAs.
#pragma once

#include "base/result.hpp"
#include "base/sample.hpp"
#include "http/message.hpp"
#include "kube/endpoint.hpp"
#include "manifest/spec.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::source::kubernetes {

inline constexpr auto keys =
    text::fields({
        {.names = {"api"},
         .required = true,
         .allowed = "custom external resource",
         .meaning = "`custom.metrics.k8s.io` (of pods or of an object), `external.metrics.k8s.io`, or `metrics.k8s.io` "
                    "(usage of pods and containers)"},
        {.names = {"apiVersion"},
         .allowed = "v1beta1 v1beta2",
         .otherwise = "custom: the newest that the server has",
         .meaning = "version of the custom API; the other APIs have only `v1beta1`"},
        {.names = {"metric"}, .required = true, .meaning = "the metric's name; resource: `cpu`, `memory`, …"},
        {.names = {"namespace"}, .otherwise = "the manifest's", .meaning = "the namespace to read from"},
        {.names = {"selector"},
         .otherwise = "all",
         .range = "`a=b`, `a!=b`, `a in (x,y)`, `a notin (x)`, `a`, `!a`, joined by commas",
         .meaning = "labels of the pods (custom, resource) or of the series (external)"},
        {.names = {"metricSelector"},
         .otherwise = "all",
         .range = "as `selector`",
         .meaning = "custom: labels of the metric itself"},
        {.names = {"object"},
         .otherwise = "the pods that `selector` matches",
         .range = "`<plural>[.<group>]/<name>`, as `services/llm`, `deployments.apps/llm`, `namespaces/ml`",
         .meaning = "custom: one object that has the metric"},
        {.names = {"scope"},
         .allowed = "namespaced cluster",
         .fallback = "namespaced",
         .meaning = "custom: `cluster` for an `object` without a namespace, such as `nodes/gpu-1`"},
        {.names = {"container"}, .otherwise = "all of the pod", .meaning = "resource: one container instead"},
    }) +
    threshold_keys;

enum class api : std::int32_t { custom = 0, external = 1, resource = 2 };

// The workload with the pods of a metric.
struct scaled_workload {
    std::string api_version;
    std::string kind;
    std::string name;
};

struct settings : common_settings {
    kubernetes::api api = api::custom;
    std::string version;     // custom: v1beta1 or v1beta2; "": the newest that the server has
    std::string metric;      // resource: cpu, memory, ...
    std::string name_space;  // "": the manifest names none; the caller's own is used
    kube::object_reference object{"pods", "*", false};
    std::string selector;          // labels of the objects; external: of the series
    std::string metric_selector;   // custom: labels of the metric
    std::string container;         // resource: only this container
    bool is_usual_reducer = true;  // the manifest does not name a reducer
    // Set for a Pods, Resource or ContainerResource metric of an HPA: the value of each of its pods is read, and decide/ computes
    // the replica count.
    std::optional<scaled_workload> pods_of;
};

result<settings> read_settings(trigger_reader& read);

// The version of the custom metrics API that a server has: requested from time to time and cached.

inline constexpr std::string_view oldest_custom_version = "v1beta1";

// Chooses a version from a response to kube::group_versions(kube::custom_group): v1beta2 before v1beta1, like the HPA
// (kubernetes/metrics pkg/client/custom_metrics/discovery.go).  If the request is forbidden: v1beta1, which every adapter has.
result<std::string> read_custom_version(const http::answer& answer);

// From a kubernetes trigger's settings to the request, and from the response to series and one sample.  Pure.
//   no item                         no_data, as the HPA: an empty list is an error and never 0
//   one item                        its value
//   several                         external: their sum; pods: their sum, or their mean for a Value target
//   INT64_MIN thousandths           NaN that an adapter converted without a check: no_data, since a sum without it would be
//                                   too small; a reducer named in the manifest ignores it

kube::endpoint endpoint_of(const settings& settings, const std::string& custom_version);

// Returns the series of a response.  Labels: kind and name of an item's object, or an external item's own labels.
result<reading> read_answer(const http::answer& answer, const settings& settings, const kube::endpoint& endpoint);

fetched judge(const reading& reading, const settings& settings);

// The trigger type kubernetes: a value from a cluster's metrics APIs, read like the HPA does.

result<description> describe(trigger_reader& read);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

// Parses the responses of the Kubernetes metrics APIs; items keep their order.  Pure.  Quantities become integer thousandths
// without floating point, rounded away from zero; a quantity beyond int64 is an error (class range).  Types: kubernetes/metrics
// pkg/apis/{custom_metrics,external_metrics,metrics}.

// The value that an adapter sends for NaN if it converts floats unchecked: INT64_MIN thousandths.  Not a measurement.
inline constexpr std::int64_t nan_in_disguise_milli = std::numeric_limits<std::int64_t>::min();
inline constexpr double thousandths = 1'000.0;  // per unit

// A value of an object, of an external series, or of a pod's usage.
struct metric_item {
    std::string kind;  // of the described object: "Pod"; "" for an external metric
    std::string name;  // of the described object: "a"; "" for an external metric
    source::labels labels;
    std::optional<std::int64_t> milli;    // nullopt: the pod has no such usage
    std::optional<std::int64_t> time_ms;  // Unix time; nullopt: the server sent none
    std::optional<std::int64_t> window_s;
    bool has_container = true;  // false: the pod's metrics do not list the container
};

// Parses the response of the settings' API.
result<std::vector<metric_item>> read_items(const http::answer& answer, const settings& settings,
                                            const kube::endpoint& endpoint);

// Parses custom.metrics.k8s.io v1beta1 and v1beta2.  Null or missing `items` are an empty list.
result<std::vector<metric_item>> read_custom(const http::answer& answer, const kube::endpoint& endpoint);

// Parses external.metrics.k8s.io v1beta1.
result<std::vector<metric_item>> read_external(const http::answer& answer, const kube::endpoint& endpoint);

// Parses metrics.k8s.io v1beta1, kind PodMetricsList: the usage of a resource by each pod, or by one of its containers if
// `container` is not empty.  A pod has no value if a required container has no such metric or is not listed: the HPA then treats
// it as one without a metric. kubernetes/kubernetes pkg/controller/podautoscaler/metrics/client.go (getPodMetrics,
// getContainerMetrics).
result<std::vector<metric_item>> read_pod_metrics(const http::answer& answer, const kube::endpoint& endpoint,
                                                  std::string_view resource, std::string_view container);

// The pods of a workload from the core API: phase, readiness, requests.  Pure.

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

// Describes a metric of pods: a Pods, Resource or ContainerResource metric of an HPA.  fetch() fills `pods`; the sample's value is
// their sum, for display.  Reads one after the other: the scale of wanted.pods_of with its selector, its pods with phase, readiness
// and requests, the values.
description describe_pods(settings wanted);

// Combines the responses of the metrics APIs and the list of pods to the metric's value and request of each pod.  Pure. decide/
// computes the replica count.

// Returns the values of items by pod.
result<std::vector<pod_value>> values_of(const result<std::vector<metric_item>>& items);

// Adds the pods' requests to the values by pod name.  A listed pod without a value gets an entry with only its request.
void add_requests(const std::vector<listed_pod>& pods, const settings& wanted, std::vector<pod_value>& values);

// Returns the result of a fetch.  The sample's value is the sum, for display; the series are the pods that have a value.
fetched outcome_of(std::vector<listed_pod> pods, std::vector<pod_value> values);

}  // namespace gputide::source::kubernetes
