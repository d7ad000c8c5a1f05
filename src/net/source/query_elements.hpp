// Detects queries that return several elements: a trigger takes one element, and KEDA's prometheus scaler fails on more.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace gputide::source {

// Says why the result has one element per pod: "vllm:num_requests_waiting has a series per pod", "by (pod)".  Returns "" if it
// has one element, or if its series are unknown.
std::string several_elements_of(std::string_view query);

}  // namespace gputide::source
