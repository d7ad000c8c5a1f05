// Steps `series` and `value` of a metric that is read of each pod (Pods, Resource, ContainerResource).  Pure.
#pragma once

#include "base/pod.hpp"
#include "decide/policy.hpp"
#include "doctor/step.hpp"

namespace gputide::doctor {

struct pods {
    const decide::metric_policy& metric;
    const pod_reading& read;
};

step judge_pods(const pods& seen);
step judge_use(const pods& seen);

}  // namespace gputide::doctor
