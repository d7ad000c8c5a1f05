// Names of GPU exporters' metrics in the 1.x and the present naming, their labels before and after renamings, and the values that
// mean "blank".  Used for metric pages and for queries.  Tables only; pure. (NVIDIA/dcgm-exporter etc/*.csv,
// internal/pkg/rendermetrics; blank values: DCGM's dcgm_structs.h.)
#pragma once

#include "formats/exposition/selector.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gputide::source {

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
