// The pods that the reads of Pods and Resource metrics have brought, as decide/ takes them.
#pragma once

#include "decide/observation.hpp"
#include "runtime/reads.hpp"

#include <vector>

namespace gputide::runtime {

// Names lie in the reads, which must outlive this.
struct read_pods {
    std::vector<decide::pod> pods;
    std::vector<decide::pod_sample> samples;
};

// The pods of the first metric that has some; values of the other metrics join them by name.  One read a metric, in the
// policy's order.
read_pods pods_of(const std::vector<last_read>& reads);

}  // namespace gputide::runtime
