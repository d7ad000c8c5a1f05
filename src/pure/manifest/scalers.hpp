// Reads ScaledObjects, HorizontalPodAutoscalers and ScaledJobs into specs with all defaults, and findings.
#pragma once

#include "manifest/authentication.hpp"
#include "manifest/spec.hpp"
#include "text/mapping.hpp"
#include "text/report.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

using namespace text;

spec read_scaled_object(const manifest& manifest, const load_context& context);

// Returns the errors of KEDA's webhook and reconciler (kedacore/keda apis/keda/v1alpha1/scaledobject_types.go,
// ..._webhook.go), with their texts.  Pure; paths are below the manifest's root, codes are KEDA's reason labels.
violations validate_scaled_object(const spec& written);

// Reads the annotations autoscaling.keda.sh/. A boolean is parsed like Go's ParseBool; any other text counts as true, also an
// empty one.
pause read_pause(const texts& annotations);
struct pause_flag {
    const char* annotation;
    bool pause::*flag;
};
inline constexpr std::array pause_flags{pause_flag{"autoscaling.keda.sh/paused", &pause::paused},
                                        pause_flag{"autoscaling.keda.sh/paused-scale-in", &pause::scale_in},
                                        pause_flag{"autoscaling.keda.sh/paused-scale-out", &pause::scale_out},
                                        pause_flag{"autoscaling.keda.sh/force-activation", &pause::force_activation}};
inline constexpr char paused_replicas_key[] = "autoscaling.keda.sh/paused-replicas";

// Codes of a ScaledJob's errors, by origin; errors of the schema have the reader's codes.
inline constexpr char webhook_code[] = "incorrect-triggers";
inline constexpr char reconciler_code[] = "metric-type";
inline constexpr char own_code[] = "not-runnable";  // KEDA accepts the manifest, but cannot run its Jobs

// Reads a ScaledJob: reports the errors of the API server's schema, of KEDA's webhook and of its reconciler, each with its place
// (kedacore/keda config/crd/bases/keda.sh_scaledjobs.yaml, apis/keda/v1alpha1/scaledjob_webhook.go).
written_scaled_job read_scaled_job(const manifest& manifest, const load_context& context);

// Reads a HorizontalPodAutoscaler: autoscaling/v2, and v2beta2, v2beta1 and v1 converted to v2 as in the API server.
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
spec read_horizontal_pod_autoscaler(const manifest& manifest, const load_context& context);

// Errors and warnings of the metrics, at paths below the manifest's root.
struct metric_findings {
    violations refused;             // by the API server
    violations doubtful;            // accepted, but probably not meant
    bool scales_from_zero = false;  // a metric that does not depend on pods
};

// Reads the metrics of a version, with the defaults of the API server, and validates them
// (kubernetes/kubernetes pkg/apis/autoscaling/validation/validation.go), with its texts.
std::vector<hpa_metric> read_hpa_metrics(mapping& body, const std::string& version, metric_findings& remarks,
                                         report& findings);

// Returns `Unsupported value: "Replicas": supported values: "Percent", "Pods"` (k8s.io/apimachinery
// pkg/util/validation/field, NotSupported; the API server sorts its values alphabetically, a schema uses its own order).
std::string unsupported_value(std::string_view value, std::span<const std::string_view> supported);

// Reads spec.behavior of a HorizontalPodAutoscaler (KEDA: advanced.horizontalPodAutoscalerConfig.behavior).  Adds what the API
// server rejects (kubernetes/kubernetes pkg/apis/autoscaling/validation/validation.go) to `refused`, at paths below `path`:
// "spec.behavior".  Missing members have the values of default_behavior(); a given list of policies replaces the whole default
// list.
behavior read_behavior(const cursor& block, const std::string& path, const controller_flags& controller,
                       violations& refused, report& findings);

// Findings about a valid manifest.

void warn_of_forecast(const object_metadata& metadata, const spec& spec, const known_kinds& kinds, report& findings);

// Checks that the pods have the request or limit that a cpu or memory trigger needs.  Takes a ScaledObject, and the
// Deployment, StatefulSet and LimitRanges next to it; adds a finding if KEDA's webhook would reject it.

// Without the workload's document it finds nothing.
// Source: kedacore/keda apis/keda/v1alpha1/scaledobject_webhook.go verifyCPUMemoryScalers @v2.21.0.
void check_requests(const spec& spec, const collection& documents, report& findings);

// Warns of a ScaledObject or ScaledJob that KEDA does not scale because of its operator's WATCH_LABEL_SELECTOR, if the host
// provides that variable.
void warn_of_watch_selector(const collection& documents, const environment_lookup& environment, report& findings);

}  // namespace gputide::manifest
