// One manifest at work: its sources, its policy, its state.  Fetching is asynchronous over a loop; deciding is pure.
// Blocking calls (capi/) and the many-scaler runtime both stand on this.
#pragma once

#include "decide/decide.hpp"
#include "http/loop.hpp"
#include "http/retry.hpp"
#include "runtime/pipeline.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gputide::runtime {

// The last read of one metric, for reports.
struct last_read {
    sample value;
    error why;                 // status ok where value.state is ok or nobody asked yet
    std::int64_t read_ms = 0;  // Unix; 0: never
    std::int64_t took_ms = 0;
};

class scaler {
  public:
    scaler(pipeline of, std::shared_ptr<http::loop> on, std::int64_t created_ms);

    const decide::policy& policy() const { return pipeline_.policy; }
    const decide::state& state() const { return state_; }
    void set_state(decide::state next);

    // Whether a half is due at now_ms; a fetch before that would serve nobody.
    bool due(std::int64_t now_ms) const { return now_ms >= next_due_ms_; }

    // Reads every metric that has a source and is not given (given: empty, or one sample a metric; state not_read means
    // that it is not).  `done` gets one sample per metric and runs on the loop, never inside this call.  Each read ends by
    // deadline_ms (steady clock) with a value or a reason.  The scaler must outlive the exchange or cancel it.
    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms, std::span<const sample> given,
                                          std::function<void(std::vector<sample>)> done);

    // decide::decide and its records on this scaler's state.
    decide::decision decide(const decide::observation& seen, decide::trace* why);
    void record(decide::decision& made, bool applied, std::int64_t now_ms);

    const std::vector<last_read>& reads() const { return reads_; }
    const decide::decision& last_decision() const { return last_; }

  private:
    pipeline pipeline_;
    std::shared_ptr<http::loop> loop_;
    decide::state state_;
    std::vector<last_read> reads_;
    decide::decision last_;
    std::int64_t next_due_ms_ = 0;
};

}  // namespace gputide::runtime
