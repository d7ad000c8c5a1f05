// The pages of gputided run: access, the status page and its data, metrics for Prometheus.
#pragma once

#include "run/pages/board.hpp"
#include "run/pages/web.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

// Returns the token of --listen-token-file.  Throws usage_error if the file cannot be read.
std::string read_token(const std::string& path);

// Decides which requests may read pages with names, queries and errors of workloads, with the token of --listen-token-file.
class page_access {
  public:
    // token_file "": no token.  Throws usage_error if the file is unreadable or its token is too short.
    explicit page_access(std::string token_file);

    bool has_token() const { return !token_file_.empty(); }

    // Reports whether the request came through the Unix socket or has the token.  Reads the file each time, because a mounted
    // Secret may change.
    bool has_login(const web_request& request) const;
    // Reports whether the request may read every page: with has_login(), or from loopback if no token is configured.
    bool may_read(const web_request& request) const;

  private:
    std::string token_file_;
};

// Reports whether every address serves the page: /healthz, /readyz and /metrics.
bool is_open_page(const web_request& request);

// Returns the response for a page that the request may not read: 401 if a token would help, otherwise 403 with the remedy.
web_answer login_page(const page_access& access);

bool is_health_page(const web_request& request);

// Returns /healthz (200 before alive_until_ms, steady clock), or /readyz from `readiness`; 404 for other pages.
web_answer health_page(const web_request& request, std::int64_t alive_until_ms,
                       const std::function<web_answer()>& readiness);

// Returns the status page or its data; 421 for a host name that is neither in `hosts` nor this machine's; nothing for other
// pages.
// mode: see status_json().  runtime: returns gputide_runtime_stats.
std::optional<web_answer> board_page(const web_request& request, const std::vector<std::string>& hosts,
                                     const board& scalers, const std::string& mode,
                                     const std::function<std::string()>& runtime);

web_answer metrics_answer(std::string page);
web_answer json_answer(std::string text);

// Returns all scalers, with the newest change first:
// {"version","time_ms","mode","poll_lag_ms","in_flight","broken":[{"file","why"}],"problems":[as /problems.json],
// "changes":[{"time_ms","scaler","from","to","why","written"}],"scalers":[{"name","namespace",...}],
// "scaled_jobs":[{"namespace","name","min","max",...}]}
// has_login: errors contain the first bytes of the response, which may be confidential.
std::string status_json(const numbers& all, const problem_list& list, const std::string& runtime,
                        const std::string& mode, bool has_login);

// Returns {"points":[[time_ms,current,desired,[value of each metric or null]]],"queries":[query of each metric]}; "" for an
// unknown scaler.
std::string history_json(const numbers& all, const std::string& scaler);

// Returns the text page for Prometheus.  runtime: from gputide_runtime_stats.  dropped_lines: of stdout and the log.
std::string metrics_page(const numbers& all, const std::string& runtime, const children_numbers& children,
                         std::int64_t dropped_lines);

// Adds the metrics of the runtime from its statistics (gputide_runtime_stats).
void runtime_metrics(std::string& out, const std::string& runtime);
// Adds the metrics of Prometheus clients, such as process_cpu_seconds_total.
void process_metrics(std::string& out);

// Stages of a rise of the load, in the order of time.
inline constexpr const char* rise_stages[] = {"decision", "write", "ready", "below"};

// Functions for the parts of a Prometheus text page.

using labelled = std::function<void(const std::string& labels, double value)>;

// Returns name="value" with the value escaped.
std::string label(const char* name, const std::string& value);

// Returns the names of all statuses with which the read of a metric can fail.
const std::vector<std::string>& read_errors();

// Returns the counts, with 0 for each of the names that has no count.
counts_by_name with_zeros(counts_by_name counts, const std::vector<std::string>& names);

void add_sample(std::string& out, const std::string& name, const std::string& labels, double value);

// Adds # HELP, # TYPE, and the samples that `samples` adds with its argument.
void family(std::string& out, const std::string& name, const char* type, const char* help,
            const std::function<void(const labelled&)>& samples);

// Adds a metric family with one sample without labels.
void single(std::string& out, const std::string& name, const char* type, const char* help, double value);

}  // namespace gputided
