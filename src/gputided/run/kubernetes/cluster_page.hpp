// What gputide_runtime_describe_cluster tells, as gputided's pages show it.
#pragma once

#include "run/pages/web.hpp"

#include <string>

namespace gputided {

// 200 once the ScaledObjects are known, or the server has said that it knows no such kind; a standby is ready too.
web_answer readiness(const std::string& cluster);

// Metrics beside those of metrics_page(): leader, watch age, writes by result, conflicts, differences.
std::string cluster_metrics(const std::string& cluster);

}  // namespace gputided
