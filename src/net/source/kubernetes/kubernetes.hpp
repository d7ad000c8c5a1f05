// The trigger type kubernetes: keys, settings, API version, requests and responses, and the metrics of HPAs.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "kube/endpoint.hpp"
#include "manifest/spec.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace gputide::source::kubernetes {

using text::value_type;

inline constexpr auto keys = text::fields({
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
    {.names = {"threshold"}, .type = value_type::number, .required = true, .meaning = "the target"},
    {.names = {"activationThreshold"},
     .type = value_type::number,
     .fallback = "0",
     .meaning = "above it the workload is active"},
});

// Typed settings of a kubernetes trigger.  No I/O.  Returns the settings or all errors together; warnings go to the report.

enum class api : std::int32_t { custom = 0, external = 1, resource = 2 };

struct settings {
    kubernetes::api api = api::custom;
    std::string version;     // custom: v1beta1 or v1beta2; "": the newest that the server has
    std::string metric;      // resource: cpu, memory, ...
    std::string name_space;  // "": the manifest names none; the caller's own is used
    kube::object_reference object{"pods", "*", false};
    std::string selector;         // labels of the objects; external: of the series
    std::string metric_selector;  // custom: labels of the metric
    std::string container;        // resource: only this container

    source::target target;
    source::reduction reduction;
    bool is_usual_reducer = true;  // the manifest does not name a reducer
    std::int64_t max_age_ms = 0;
};

result<settings> read_settings(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                               text::report* findings);

// The version of the custom metrics API that a server has: requested from time to time and cached.

inline constexpr std::string_view oldest_custom_version = "v1beta1";

// Chooses a version from a response to kube::group_versions(kube::custom_group): v1beta2 before v1beta1, like the HPA
// (kubernetes/metrics pkg/client/custom_metrics/discovery.go).  If the request is forbidden: v1beta1, which every adapter has.
result<std::string> read_custom_version(const http::answer& answer);

// Shared by the fetches of one source; thread-safe.
class custom_version {
  public:
    explicit custom_version(std::string fixed) : fixed_(!fixed.empty()), now_(std::move(fixed)) {}

    std::string now() const;
    bool due(std::int64_t steady_ms) const;
    result<void> learn(const http::answer& answer, std::int64_t steady_ms);

  private:
    const bool fixed_;
    mutable std::mutex guard_;
    std::string now_;  // "": unknown
    std::int64_t known_until_ms_ = 0;
};

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

// A metric of an HPA as the cluster's metrics APIs serve it and the HPA controller reads it.

// Returns the trigger for the same metric, as a gputide.io/source annotation would define it.  Pods and Resource metrics have no
// such trigger: the returned trigger has only their name and cannot be opened.
manifest::trigger trigger_of(const manifest::spec& spec, std::size_t index);

// Describes an External, Object, Pods, Resource or ContainerResource metric.  `index`: position in the manifest's metrics.
result<description> describe_hpa_metric(const manifest::spec& spec, std::size_t index,
                                        const manifest::trigger_rules& rules, text::report* findings);

// Describes the metric of a cpu or memory trigger for the pods of the manifest's target.
description describe_resource(const manifest::scaling& scaling, const source::target& target);

// The trigger type kubernetes: a value from a cluster's metrics APIs, read like the HPA does.

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::kubernetes
