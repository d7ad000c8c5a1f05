// What the answers of one poll come to: a value, a target and an activity.  Pure.
#pragma once

#include "source/description.hpp"
#include "source/external/messages.hpp"

#include <cstdint>
#include <vector>

namespace gputide::source::external {

struct read_metric {
    metric_spec spec;
    std::vector<double> values;
};

// Of several metrics the one that asks for most counts, by value / target: the HPA, which proposes a size for each and takes the
// largest, comes to the same size.  Values of one metric are added up as the HPA does it.  No value: the sample is empty, and its
// activity holds.
//   index   of the trigger: series are named as KEDA names the HPA's metrics, "s0-queue"
fetched outcome_of(const std::vector<read_metric>& metrics, bool is_active, std::int32_t index);

}  // namespace gputide::source::external
