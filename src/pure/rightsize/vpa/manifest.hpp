// Reads a VerticalPodAutoscaler (autoscaling.k8s.io/v1) into bounds, mode and controlled resources of the settings.
// Changes the settings in place and adds findings; status is ignored.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1/types.go, pkg/utils/vpa/api.go.
#pragma once

#include "rightsize/settings.hpp"
#include "text/mapping.hpp"

#include <string_view>

namespace gputide::rightsize {

// Uses the policy of the settings' container; sets the container's name if it is empty.
void take_vpa(const text::cursor& cursor, settings& settings, text::report& findings);

// Tells whether a pod requests this resource by count: nvidia.com/gpu, amd.com/gpu, habana.ai/gaudi, gpu.intel.com/xe,
// microsoft.com/directx.
bool is_gpu_resource(std::string_view name);

// Not a Kubernetes resource: bounds the memory of each GPU in a policy's minAllowed and maxAllowed.
inline constexpr std::string_view gpu_memory_resource = "gputide.io/gpu-memory";

}  // namespace gputide::rightsize
