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

inline constexpr std::int64_t notice_interval_ms = 2'000;  // between two calls of notice_process() and notice_cluster()

// Updates the problems from gputide_runtime_stats (proxies in use) and of the audit log ("": it is complete).
void notice_process(problem_list& list, const std::string& stats, const std::string& audit_failure);

// Updates the problems from gputide_cluster_describe: unknown kinds, unreadable objects, blocks, statuses that cannot be written.
void notice_cluster(problem_list& list, const std::string& described);

// Updates the problems from a cluster event: a failed write, or a removed scaler.
void notice_cluster_event(problem_list& list, const ordered_json& event);

// Returns what a running gputided would list for a report of gputide_doctor or gputide_cluster_doctor.  It has no begin.
std::vector<problem> problems_of_diagnosis(const ordered_json& report);

}  // namespace gputided
