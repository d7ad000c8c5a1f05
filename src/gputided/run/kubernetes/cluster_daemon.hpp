// The loop of gputided run --kubernetes: the library works on the cluster by itself, and this prints and counts what it tells.
#pragma once

#include "run/decision_lines.hpp"
#include "run/output.hpp"
#include "run/pages/board.hpp"
#include "run/pages/web.hpp"
#include "run/run.hpp"
#include "run/signals.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace gputided {

class cluster_daemon {
  public:
    // options, signals and output live longer than this.  Throws gputide::failure where no API server is named.
    cluster_daemon(const run_options& options, signals& signals, run_output& output);

    void run();  // until a stop is heard; gives its Leases back

    // /metrics, /healthz, /readyz, / and its data; any thread.
    web_answer answer(const web_request& request);
    web_answer health(const web_request& request);  // /healthz and /readyz alone

  private:
    void turn();
    void take(const gputide::event& event);
    void take_decision(const gputide::event& event);
    void take_cluster_event(const gputide::event& event);

    const run_options& options_;
    signals& signals_;
    run_output& output_;
    board board_;
    decision_lines lines_;
    gputide::runtime runtime_;
    std::atomic<std::int64_t> alive_until_ms_;  // steady: the loop comes round before this, or is stuck
};

}  // namespace gputided
