// The pages of gputided run: their HTTP server with the sockets of --listen, the status page and its data, metrics for Prometheus.
#pragma once

#include "common/files.hpp"
#include "run/pages/board.hpp"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gputided {

struct run_options;

// The origin of a request: another machine, this machine, or a process that may open the socket's file.
enum class origin { network, loopback, unix_socket };

inline constexpr char plain_text[] = "text/plain; charset=utf-8";

struct web_request {
    std::string path;
    std::string host;    // from the Host header, without port; "": none
    std::string scaler;  // from ?scaler=; "": none
    std::string token;   // from Authorization: Bearer, or the password of Basic; "": none
    origin from = origin::network;
    bool has_login = false;  // set by run_with_pages(): through the Unix socket, or with the token
};

struct web_answer {
    unsigned status = 200;
    std::string type = plain_text;
    std::string body;
    std::string content_policy = {};  // Content-Security-Policy; "": loads and runs nothing
    std::vector<std::pair<std::string, std::string>> headers = {};
};

struct page_read {
    std::string body;
    std::string failure;  // "": the server answered 200
};

// Reads a page of a running gputided.  address: in the form of --listen.  token "": none.  Throws usage_error that names --running.
page_read read_page(const std::string& address, const std::string& path, const std::string& token,
                    std::int32_t timeout_ms);

class web_server {
  public:
    // address: "HOST:PORT", "[::1]:9105" or "unix:/run/gputided.sock" (mode 0600); port 0 selects a free one. answer(request) is
    // called on the server's thread.  A connection that takes more than 10 s for a request, or the oldest of too many, is closed.
    // Throws usage_error if the address is wrong or in use.
    web_server(const std::string& address, std::function<web_answer(const web_request&)> answer);
    ~web_server();
    web_server(const web_server&) = delete;
    web_server& operator=(const web_server&) = delete;

    std::string place() const;  // "port 9105", "unix:/run/gputided.sock"
    origin from() const;

  private:
    struct state;
    std::unique_ptr<state> state_;
};

// Returns the token of --listen-token-file.  Throws usage_error if the file cannot be read.
std::string read_token(const std::string& path);

// A daemon with its pages.
class paged_daemon {
  public:
    // mode: see status_json().  options and output must outlive this object.
    paged_daemon(const run_options& options, const char* mode, run_output& output);
    virtual ~paged_daemon() = default;
    paged_daemon(const paged_daemon&) = delete;
    paged_daemon& operator=(const paged_daemon&) = delete;

    // Serves the pages of --listen and --health-listen, and runs until a stop signal.  Throws usage_error if the token file or an
    // address cannot be used.
    void run_with_pages();

  protected:
    virtual void run() = 0;  // runs until a stop signal

    // Functions for any thread.
    virtual web_answer readiness() const = 0;
    virtual std::string runtime_stats() const = 0;                     // gputide_runtime_stats
    virtual std::optional<std::string> cluster() const { return {}; }  // gputide_cluster_describe, with --kubernetes
    virtual children_numbers children() const { return {}; }

    const run_options& options_;
    run_output& output_;
    board board_;
    std::atomic<std::int64_t> alive_until_ms_;  // steady clock: after this time the loop counts as stuck

  private:
    // Functions for the threads of the web servers.
    // All pages; 421 if the host is neither in --allow-host nor this machine.
    web_answer answer(const web_request& request) const;
    // Only /healthz and /readyz.
    web_answer health(const web_request& request) const;

    const char* mode_;
};

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

// Returns the metrics in addition to metrics_page(): leader, watch age, writes by result, conflicts, differences.  cluster: from
// gputide_cluster_describe.
std::string cluster_metrics(const std::string& cluster);

// Functions for the parts of a Prometheus text page.

using labelled = std::function<void(const std::string& labels, double value)>;

// Returns name="value" with the value escaped.
std::string label(const char* name, const std::string& value);

// Adds # HELP, # TYPE, and the samples that `samples` adds with its argument.
void family(std::string& out, const std::string& name, const char* type, const char* help,
            const std::function<void(const labelled&)>& samples);

// Adds a metric family with one sample without labels.
void single(std::string& out, const std::string& name, const char* type, const char* help, double value);

// Adds a counter with one sample per member of an object.  key: the label that has the member's name.
void counter_of(std::string& out, const std::string& name, const char* help, const char* key, const json& object);

using labelled_objects = std::vector<std::pair<std::string, const json*>>;  // labels, object

// Values of document_row's last two members.
inline constexpr double unscaled = 1;
inline constexpr double or_zero = 0;

// A metric family with a number of each object.
struct document_row {
    const char* name;
    const char* type;
    const char* help;
    const char* pointer;       // JSON pointer of a number, or of a boolean or an object, which counts as 1
    double factor = unscaled;  // to the unit of the name
    double otherwise = NAN;    // for an object without the member; NaN: no sample
};
void add_rows(std::string& out, std::span<const document_row> rows, const labelled_objects& objects);

// Adds the metrics of the process.
void process_metrics(std::string& out);

}  // namespace gputided
