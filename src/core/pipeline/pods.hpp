// The pods that the reads of Pods and Resource metrics have brought, as decide/ takes them.
#pragma once

#include "base/pod.hpp"
#include "decide/observation.hpp"

#include <span>
#include <vector>

namespace gputide::pipeline {

// Names lie in the reads, which must outlive this.
struct read_pods {
    std::vector<decide::pod> pods;
    std::vector<decide::pod_sample> samples;
    bool is_listed = false;  // a read brought a list of pods, which can be empty
};

// The pods of the first metric that has some; values of the other metrics join them by name.  One read a metric, in the
// policy's order; null: it brought none.
read_pods pods_of(std::span<const pod_reading* const> reads);

}  // namespace gputide::pipeline
