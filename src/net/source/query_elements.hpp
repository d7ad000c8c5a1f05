// The number of elements of a query's result: a trigger takes one, and KEDA's prometheus scaler fails on more.  Pure.
#pragma once

#include <string>
#include <string_view>

namespace gputide::source {

// Says why the result has an element for each pod: "vllm:num_requests_waiting has a series per pod", "by (pod)".  "": it has one
// element, or nothing is known of its series.
std::string several_elements_of(std::string_view query);

}  // namespace gputide::source
