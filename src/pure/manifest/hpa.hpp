// Reads a HorizontalPodAutoscaler into a spec: autoscaling/v2, and v2beta2, v2beta1 and v1 converted to v2 as in the API server.
//
// An HPA names External and Object metrics without their source; in a cluster an adapter provides the values.  Here an annotation
// per metric defines the source, as YAML or JSON text in the form of a KEDA trigger:
//
//   metadata:
//     annotations:
//       gputide.io/source.gpu_queue: |
//         type: prometheus
//         metadata:
//           serverAddress: http://prometheus:9090
//           query: sum(gpu_queue)
//         authenticationRef: {name: prometheus-auth}
//
// The target is that of the metric; the trigger's own target (threshold, targetValue, value) may be left out.
#pragma once

#include "manifest/authentication.hpp"
#include "manifest/label_query.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputide::manifest {

struct written_target {
    std::string type;                          // Utilization, Value, AverageValue
    std::optional<std::string> value;          // quantity
    std::optional<std::string> average_value;  // quantity
    std::optional<std::int32_t> average_utilization;
};

struct written_source : metric_subject {
    std::string name;  // of the metric or resource
    written_target target;
};

struct written_metric {
    std::string type;                               // External, Object, Pods, Resource, ContainerResource
    std::map<std::string, written_source> sources;  // by field: external, object, pods, resource, containerResource
    place at;
};

struct written_hpa {
    std::optional<std::int32_t> min;
    std::int32_t max = 0;  // if absent it decodes as 0, which validation rejects
    std::vector<written_metric> metrics;
    std::optional<behavior_as_written> behavior;  // with its defaults
};

// Validates an HPA by kubernetes/kubernetes pkg/apis/autoscaling/validation/validation.go; scale_to_zero is the gate
// HPAScaleToZero.
violations validate_hpa(const written_hpa& written, bool scale_to_zero);

// Reads "spec" of a version, with the defaults of the API server.
written_hpa read_hpa_spec(mapping& body, const std::string& version, const controller_flags& controller,
                          report& findings);

spec read_horizontal_pod_autoscaler(const manifest& manifest, const load_context& context);

}  // namespace gputide::manifest
