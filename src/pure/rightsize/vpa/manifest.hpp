// Reads a VerticalPodAutoscaler (autoscaling.k8s.io/v1) into bounds, mode and controlled resources of the settings.
// In: a document.  Out: settings changed in place, and findings; status is ignored.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1/types.go, pkg/utils/vpa/api.go.
#pragma once

#include "rightsize/settings.hpp"
#include "text/mapping.hpp"

#include <string_view>

namespace gputide::rightsize {

// Uses the policy of the settings' container; sets the container's name if they have none.
void take_vpa(const text::cursor& cursor, settings& settings, text::report& findings);

// nvidia.com/gpu, amd.com/gpu, habana.ai/gaudi, gpu.intel.com/xe, microsoft.com/directx: resources that a pod requests
// by count.
bool is_gpu_resource(std::string_view name);

// Not a Kubernetes resource: a bound on the memory of each GPU, in a policy's minAllowed and maxAllowed.
inline constexpr std::string_view gpu_memory_resource = "gputide.io/gpu-memory";

}  // namespace gputide::rightsize
