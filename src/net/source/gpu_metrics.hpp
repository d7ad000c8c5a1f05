// The names that GPU exporters use, NVIDIA's in all its generations, whether they are read from its page or through a query: metrics of the 1.x and the present naming, labels before and after
// their renamings, and the values that mean "none".  Tables only; pure.  (NVIDIA/dcgm-exporter etc/*.csv,
// internal/pkg/rendermetrics, and DCGM's dcgm_structs.h for the blank values.)
#pragma once

#include "formats/exposition/selector.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gputide::source {

// The names under which a page may carry a metric: {"DCGM_FI_DEV_GPU_UTIL", "dcgm_gpu_utilization"}; either one may be given.
std::vector<std::string> metric_names(std::string_view metric);

// Grows for ever and means nothing by itself: energy, PCIe replays, NVLink bytes.
bool is_counter(std::string_view metric);

// Tells whether it is a utilization of the whole device, which a MIG instance does not have.
bool is_device_utilization(std::string_view metric);

// Comes for a shared GPU as the device's own series and, with a pod's part of it, once more for each pod
// (NVIDIA/dcgm-exporter internal/pkg/transformation/process_metrics.go isPerProcessMetric, since 4.5.3-4.8.2).
bool is_split_by_pods(std::string_view metric);

// The names that a label may have, the workload's own first: pod → {"exported_pod", "pod", "pod_name"}.  A page that a
// Prometheus hands on (federation) has the exporter's own pod in `pod`, and the workload's in `exported_pod`.
formats::exposition::label_names names_of_label(std::string_view label);

// DCGM's marks for blank, not found, not supported and no permission, of int32, int64 and double fields.  Newer exporters
// leave such series out, older ones print the number.
bool is_blank_value(double value);

}  // namespace gputide::source
