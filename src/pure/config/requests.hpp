// What cpu and memory triggers need of the pods that they scale: a request or a limit.  In: a ScaledObject, and the Deployment,
// StatefulSet and LimitRanges that stand beside it.  Out: a finding where KEDA's webhook refuses it.
#pragma once

#include "config/manifest.hpp"
#include "config/spec.hpp"

namespace gputide::config {

// Finds nothing where the workload is not given.
// Source: kedacore/keda apis/keda/v1alpha1/scaledobject_webhook.go verifyCPUMemoryScalers @v2.21.0.
void check_requests(const spec& spec, const collection& documents, report& findings);

}  // namespace gputide::config
