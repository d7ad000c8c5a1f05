// The list of problems of gputided run: everything that is not carried out, with start time, reason and remedy.  The log,
// /metrics, /problems.json, the pages and the alerts show this list. problems.json has a row per code.
#pragma once

#include "common/json.hpp"
#include "gputide/gputide.hpp"
#include "run/output.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace gputided {

// The codes in problems.json.
namespace code {
inline constexpr char metric_failed[] = "metric_failed";
inline constexpr char empty_as_zero[] = "empty_as_zero";
inline constexpr char fallback[] = "fallback";
inline constexpr char no_decision[] = "no_decision";
inline constexpr char write_failed[] = "write_failed";
inline constexpr char manifest_refused[] = "manifest_refused";
inline constexpr char no_history[] = "no_history";
inline constexpr char no_past[] = "no_past";
inline constexpr char proxy_used[] = "proxy_used";
inline constexpr char not_handled[] = "not_handled";
inline constexpr char size_unknown[] = "size_unknown";
inline constexpr char state_not_saved[] = "state_not_saved";
inline constexpr char audit_not_written[] = "audit_not_written";
inline constexpr char lease_failed[] = "lease_failed";
inline constexpr char watch_failed[] = "watch_failed";
inline constexpr char object_unreadable[] = "object_unreadable";
inline constexpr char no_capacity[] = "no_capacity";
inline constexpr char status_not_written[] = "status_not_written";
}  // namespace code

struct problem {
    std::string code;
    std::string object;       // "namespace/name", a file, a kind; "": gputided itself
    std::string subject;      // a part of the object, such as a metric; "": the whole object
    std::string text;         // the cause
    std::string remedy = "";  // "": the remedy of the code
    bool is_logged = false;   // the library already logs start and end
    bool is_file = false;     // the object is not "namespace/name"
    std::int64_t since_ms = 0;
};

class problem_list {
  public:
    // output: gets a line when a problem starts, changes its text, or ends.  Must outlive this object.
    explicit problem_list(run_output& output);

    // Replaces the problems of a scope, such as "reads" of a scaler.  Remaining problems keep their start time.  May be called on
    // any thread.
    void set(const std::string& scope, const std::string& object, std::vector<problem> now);
    // Replaces the problem of a scope that has at most one. text "": no problem.
    void set_single(const std::string& object, const char* code, const std::string& text,
                    const std::string& remedy = "");
    // Ends the problems of a deleted object: those of its own scopes, or those in one scope of all objects.
    void forget(const std::string& object);
    void forget_in(const std::string& scope, const std::string& object);

    // Returns the problems, oldest first.
    std::vector<problem> all() const;
    // Returns {"time_ms","problems":[{"code","severity","object","subject","since","since_ms","text","remedy"}],
    // "codes":[{"code","severity","mode","what","do","begun"}]}.
    std::string json_text() const;
    // Returns the metrics gputide_problem and gputide_problems_total as Prometheus text.
    std::string metrics() const;

  private:
    using scope_key = std::pair<std::string, std::string>;  // object, scope
    void begin(problem& fresh, const std::vector<problem>& before);
    void end(const problem& ended, const std::string& text) const;
    void end_as_gone(const std::vector<problem>& ended) const;

    run_output& output_;
    mutable std::mutex lock_;
    std::map<scope_key, std::vector<problem>> scopes_;
    std::map<std::string, std::int64_t> begun_;  // by code
};

// Returns the subject and the text.
std::string problem_text(const problem& problem);

// Returns a problem in the form of /problems.json and /status.json; without its start time if unknown.
ordered_json problem_json(const problem& problem);

// Returns /problems.json as text: the number of problems, and two lines for each.
std::string problems_text(const json& page);

// Reports whether the code has severity "info", which means that no action is needed.
bool is_notice(const problem& problem);

// Functions that find problems in decisions and their reads, in a cluster's description, and in the runtime's statistics.

// Updates the problems of a decision with reads: failed metrics, empty results, a fallback, a forecast without its past.
// forecast: the forecast's step in the trace; null without a forecast.
void notice_decision(problem_list& list, const std::string& scaler, const gputide::event& event, const json& reads,
                     const json& forecast);

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
