// The loop of gputided run --kubernetes.  The library does the work; this prints and counts its events.
#pragma once

#include "run/output.hpp"
#include "run/pages/board.hpp"
#include "run/pages/web.hpp"
#include "run/run.hpp"

#include <atomic>
#include <cstdint>
#include <string>

namespace gputided {

class cluster_daemon {
  public:
    // options, signals and output must outlive this object.  Throws gputide::failure if no API server is configured.
    cluster_daemon(const run_options& options, signals& signals, run_output& output);

    void run();  // runs until a stop signal, then releases its Leases

    // Answers requests for all pages.  May be called on any thread.
    web_answer answer(const web_request& request);
    web_answer health(const web_request& request);  // only /healthz and /readyz

  private:
    void turn();
    void read_description();  // takes problems and ScaledJobs from the library's description
    void take(const gputide::event& event);
    void take_decision(const gputide::event& event);
    void take_cluster_event(const gputide::event& event);

    const run_options& options_;
    signals& signals_;
    run_output& output_;
    board board_;
    decision_lines lines_;
    gputide::runtime runtime_;
    std::int64_t noticed_ms_ = 0;               // steady clock
    std::atomic<std::int64_t> alive_until_ms_;  // steady clock: after this time the loop counts as stuck
};

// Returns 200 if the ScaledObjects have been listed, also on a standby, or if the server does not serve their kind.  cluster:
// from gputide_cluster_describe.
web_answer readiness(const std::string& cluster);

// Returns the metrics in addition to metrics_page(): leader, watch age, writes by result, conflicts, differences.
std::string cluster_metrics(const std::string& cluster);

}  // namespace gputided
