// The table of metrics that GPU workloads are commonly scaled on: meaning, range, server, and renamings.  Its rows are in
// known_metrics_table.hpp; findings, parsers of responses and the doctor use them.  Pure.
#pragma once

#include "formats/exposition/selector.hpp"
#include "text/field.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source {

// The columns of a row that the library needs; the documentation has the others.
struct known_metric {
    text::literal name;                                    // as its server spells it; a trailing '*' matches any suffix
    double max = std::numeric_limits<double>::infinity();  // of one series; the minimum is 0
    bool is_level = false;      // a load per replica (a percentage, a temperature): not additive over replicas
    bool is_own_pods = false;   // only the scaled pods serve it: without a pod there is no series
    bool is_whole_gpu = false;  // for a MIG instance or vGPU, still the number of the whole card
    text::literal server;
    text::literal gone_since;  // first version without it; "": the newest version has it
    text::literal successor;   // the name that replaced it
};

// Finds a metric by any of its spellings: vllm:kv_cache_usage_perc, vllm_kv_cache_usage_perc, renamed by an adapter without its
// first word, or in GKE's form ("prometheus.googleapis.com|name|gauge").  Returns null for an unknown metric.
const known_metric* find_known_metric(std::string_view name);

// Returns the name that replaced `older`, or "".  The suffix of a family is kept: vllm:time_per_output_token_seconds_bucket gives
// vllm:inter_token_latency_seconds_bucket.
std::string successor_of(std::string_view older);

// Tells whether `newer` is the name that replaced `older`.
bool succeeds(std::string_view newer, std::string_view older);

// Tells whether the metric is a load per replica: by its table row, otherwise by a word of its name such as percent, ratio or
// utilization.
bool is_level_metric(std::string_view name);

// Tells whether the metric is an already computed number of replicas (wva_desired_replicas).
bool is_desired_count(std::string_view name);

// Names of GPU exporters' metrics in the 1.x and the present naming, their labels before and after renamings, and the values that
// mean "blank".  Used for metric pages and for queries.  Tables only; pure. (NVIDIA/dcgm-exporter etc/*.csv,
// internal/pkg/rendermetrics; blank values: DCGM's dcgm_structs.h.)

// Returns the names under which a page may contain the metric, for either name: {"DCGM_FI_DEV_GPU_UTIL", "dcgm_gpu_utilization"}.
std::vector<std::string> metric_names(std::string_view metric);

// Tells whether the metric is a counter, such as energy, PCIe replays and NVLink bytes: only its rate is useful.
bool is_counter(std::string_view metric);

// Tells whether the metric is a utilization of the whole device, which does not exist for a MIG instance.
bool is_device_utilization(std::string_view metric);

// Tells whether a shared GPU has one series of this metric for the device and another with each pod's part (NVIDIA/dcgm-exporter
// internal/pkg/transformation/process_metrics.go isPerProcessMetric, since 4.5.3-4.8.2).
bool is_split_by_pods(std::string_view metric);

// Returns the possible names of a label, the workload's label first: pod → {"exported_pod", "pod", "pod_name"}. After federation
// by a Prometheus, `pod` is the exporter's own pod and `exported_pod` is the workload's.
formats::exposition::label_names names_of_label(std::string_view label);

// Tells whether a number is one of DCGM's marks for blank, not found, not supported and no permission, of int32, int64 and double
// fields.  Newer exporters omit such series, older ones print the number.
bool is_blank_value(double value);

}  // namespace gputide::source
