// The loop of gputided run.  One thread ticks the scalers as they come due; the web page asks from a thread of its own.
#pragma once

#include "commands.hpp"
#include "files.hpp"
#include "host.hpp"
#include "signals.hpp"
#include "state_file.hpp"
#include "web.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace gputided {

class scaling_daemon {
  public:
    // Reads the manifests and the state file; throws usage_error or gputide::failure where that is not possible.
    scaling_daemon(const run_options& with, signals& heard);

    void run();  // until a stop is heard

    // /metrics, /healthz, /readyz and /; any thread.
    web_answer answer(const std::string& path);

  private:
    std::vector<hosted> open_scalers() const;
    void restore(std::vector<hosted>& scalers) const;
    void tick_those_due();
    void reload();
    std::int64_t earliest_due();
    void publish();
    void save();

    const run_options with_;
    const file_lock state_lock_;
    signals& heard_;
    const target target_;
    std::vector<hosted> scalers_;
    std::mutex lock_;  // guards numbers_, which the web page reads
    numbers numbers_;
    std::atomic<bool> ready_{false};
    std::atomic<std::int64_t> alive_until_ms_;  // the loop comes round before this, or is stuck
};

}  // namespace gputided
