// The loop of gputided run --kubernetes.  The library does the work; this prints and counts its events.
#pragma once

#include "run/output.hpp"
#include "run/pages/pages.hpp"
#include "run/run.hpp"

#include <cstdint>
#include <string>

namespace gputided {

class cluster_daemon : public paged_daemon {
  public:
    // options, signals and output must outlive this object.  Throws gputide::failure if no API server is configured.
    cluster_daemon(const run_options& options, signals& signals, run_output& output);

    void run() override;  // then releases its Leases

  protected:
    // Returns 200 if the ScaledObjects have been listed, also on a standby, or if the server does not serve their kind.
    web_answer readiness() const override;
    std::string runtime_stats() const override { return runtime_.stats(); }
    std::optional<std::string> cluster() const override { return runtime_.describe_cluster(); }

  private:
    void turn();
    void read_description();  // takes problems and ScaledJobs from the library's description
    void take(const gputide::event& event);
    void take_decision(const gputide::event& event);
    void take_cluster_event(const gputide::event& event);

    signals& signals_;
    decision_lines lines_;
    gputide::runtime runtime_;
    std::int64_t noticed_ms_ = 0;  // steady clock
};

}  // namespace gputided
