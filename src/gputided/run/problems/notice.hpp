// Finds the problems in what the loops learn: decisions with their reads, a cluster's description, the runtime's statistics.
#pragma once

#include "common/json.hpp"
#include "gputide/gputide.hpp"
#include "run/problems/problems.hpp"

#include <string>
#include <vector>

namespace gputided {

// Notes what a decision with reads shows: failed metrics, empty results, a fallback, a forecast without its past.
//   forecast   the forecast's step of the trace; null: none
void notice_decision(problem_list& list, const std::string& scaler, const gputide::event& event,
                     const std::vector<metric_read>& reads, const json& forecast);

// Notes the proxies of gputide_runtime_stats.
void notice_proxies(problem_list& list, const std::string& stats);

// Notes what gputide_cluster_describe shows: kinds that are not known, objects left out, statuses that cannot be written.
void notice_cluster(problem_list& list, const std::string& described);

// Notes a cluster event: a block that begins or ends, a write that failed.
void notice_cluster_event(problem_list& list, const ordered_json& event);

}  // namespace gputided
