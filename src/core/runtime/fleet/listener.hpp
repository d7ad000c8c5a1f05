// Keeps a source's stream open, on which the server reports by itself (source::traits::pushes), and reopens it after its end with
// a delay.  Calls on_report for each report, on the loop's thread.  Never gives up, unless it runs out of memory.
#pragma once

#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace gputide::runtime {

// The delay before a stream is reopened.  Pure.  KEDA's delays (kedacore/keda pkg/scalers/external_scaler.go): 2 s, doubled up to
// one minute, and 2 s again after a regular end.  Two differences protect the server.  An end before any report is not a regular
// end.  Each delay is longer by up to a half, because a server that restarts breaks all its streams at once.  One difference
// helps the workload: after a few broken streams KEDA keeps the delay of one minute; here a stream that lasted a minute resets
// it.
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
    // name: of scaler and metric, for the log.
    listener(std::shared_ptr<http::loop> loop, std::shared_ptr<source::metric_source> source, std::string name,
             std::function<void(source::stream_report)> on_report);

    // Passed from each pending callback to the next one: it expires if a callback is lost for lack of memory.  Its value is not
    // used.
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
    bool had_word_ = false;    // on the open stream
    bool is_failing_ = false;  // and the log says so
    bool is_cancelled_ = false;
};

}  // namespace gputide::runtime
