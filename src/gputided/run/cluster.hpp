// The loop of gputided run --kubernetes: the library works on the cluster; this prints and counts its events.
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
    // options, signals and output must outlive this object.  Throws gputide::failure if no API server is named.
    cluster_daemon(const run_options& options, signals& signals, run_output& output);

    void run();  // until a stop signal; releases its Leases

    // /metrics, /healthz, /readyz, / and its data; any thread.
    web_answer answer(const web_request& request);
    web_answer health(const web_request& request);  // /healthz and /readyz alone

  private:
    void turn();
    void notice_if_due();
    void take(const gputide::event& event);
    void take_decision(const gputide::event& event);
    void take_cluster_event(const gputide::event& event);

    const run_options& options_;
    signals& signals_;
    run_output& output_;
    board board_;
    decision_lines lines_;
    gputide::runtime runtime_;
    std::int64_t noticed_ms_ = 0;               // steady
    std::atomic<std::int64_t> alive_until_ms_;  // steady: the loop comes round before this, or is stuck
};

// Returns 200 once the ScaledObjects are known, or the server does not have that kind; a standby is ready, too.  cluster: of
// gputide_cluster_describe.
web_answer readiness(const std::string& cluster);

// Returns metrics in addition to metrics_page(): leader, watch age, writes by result, conflicts, differences.
std::string cluster_metrics(const std::string& cluster);

}  // namespace gputided
