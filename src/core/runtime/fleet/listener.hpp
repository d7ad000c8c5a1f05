// Keeps one source's stream open, on which the peer reports by itself (source::traits::pushes): opens it, and
// again whenever it ends, never in a hurry.  In: the source; out: each word of the peer's, on the loop's thread.  Never gives up, unless
// an exhausted memory cuts it off.
#pragma once

#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace gputide::runtime {

// When a stream that ended is opened again.  Pure.  KEDA's waits (kedacore/keda pkg/scalers/external_scaler.go): 2 s, doubling to a
// minute, and 2 s again after an end that the peer wished.  Two differences spare the peer: an end without a word before it is no
// good one, and each wait is longer by up to a half, as a peer that starts anew breaks all its streams at once.  One spares
// the workload: KEDA waits the whole minute for good once a few streams broke; here a stream that lasted a minute begins afresh.
class reopening {
  public:
    struct life {
        std::int64_t lasted_ms = 0;
        bool had_word = false;
    };
    // uniform: [0, 1).
    std::int64_t wait_ms(const source::stream_end& end, const life& before, double uniform);

  private:
    static constexpr std::int64_t shortest_ms = 2'000;
    static constexpr std::int64_t longest_ms = 60'000;

    std::int64_t next_ms_ = shortest_ms;
};

class listener final : public http::exchange, public std::enable_shared_from_this<listener> {
  public:
    // name: of the scaler and its metric, for the log.
    listener(std::shared_ptr<http::loop> loop, std::shared_ptr<source::metric_source> source, std::string name,
             std::function<void(source::stream_report)> on_report);

    // Handed on from each callback that is waited for to the next one: it goes where memory lacked for that.  What it says is nothing.
    using baton = std::shared_ptr<const bool>;

    void open(baton held);
    void cancel() override;

  private:
    void take(source::stream_report report);
    void end(const source::stream_end& end, const baton& held);

    const std::shared_ptr<http::loop> loop_;
    const std::shared_ptr<source::metric_source> source_;
    const std::string name_;
    const std::function<void(source::stream_report)> on_report_;
    reopening plan_;
    std::shared_ptr<http::exchange> stream_;
    http::ticket wait_ = 0;
    std::int64_t opened_ms_ = 0;
    bool had_word_ = false;    // on the stream that is open
    bool is_failing_ = false;  // and the log has it
    bool is_cancelled_ = false;
};

}  // namespace gputide::runtime
