// Finds problems in decisions and their reads, in a cluster's description, and in the runtime's statistics.
#pragma once

#include "common/json.hpp"
#include "gputide/gputide.hpp"
#include "run/problems/problems.hpp"

#include <string>
#include <vector>

namespace gputided {

// Updates the problems of a decision with reads: failed metrics, empty results, a fallback, a forecast without its past.
// forecast: the forecast's step in the trace; null without a forecast.
void notice_decision(problem_list& list, const std::string& scaler, const gputide::event& event,
                     const std::vector<metric_read>& reads, const json& forecast);

// Updates the problems from gputide_runtime_stats: proxies in use.
void notice_proxies(problem_list& list, const std::string& stats);

// Updates the problems from gputide_cluster_describe: unknown kinds, unreadable objects, blocks, statuses that cannot be written.
void notice_cluster(problem_list& list, const std::string& described);

// Updates the problems from a cluster event: a failed write, or a removed scaler.
void notice_cluster_event(problem_list& list, const ordered_json& event);

}  // namespace gputided
