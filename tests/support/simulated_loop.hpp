// A network and a clock that exist in numbers alone: answers come from a function, after as much virtual time as it says.
// Made for many: a million requests under way cost their answers and a wheel's entries.  One thread.
#pragma once

#include "http/loop.hpp"
#include "runtime/fleet/schedule.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace gputide::testing {

struct simulated_answer {
    http::answer what;
    std::int64_t delay_ms = 0;
};

class simulated_loop final : public http::loop {
  public:
    using peer = std::function<simulated_answer(const http::request&)>;
    simulated_loop(peer answers, std::int64_t wall_ms) : peer_(std::move(answers)), wall_ms_(wall_ms) {}

    // Runs what is due up to then, each at its own time.
    void advance_to(std::int64_t steady_ms);
    std::int64_t next_ms() const { return due_.next_ms(); }  // steady; runtime::schedule::never: nothing is under way
    void shift_wall(std::int64_t ms) { wall_ms_ += ms; }     // the test sets the clock
    std::size_t pending() const { return live_; }
    std::uint64_t requests() const { return requests_; }

    http::ticket send(http::outgoing what, std::int64_t deadline_ms, callback<void(http::answer)> done) override;
    http::ticket after(std::int64_t delay_ms, callback<void()> fire) override;
    void cancel(http::ticket which) override;
    http::ticket reserve() override { return ++last_reserved_; }
    std::int64_t steady_ms() const override { return now_ms_; }
    std::int64_t wall_ms() const override { return wall_ms_ + now_ms_; }
    double uniform() override;

  private:
    struct event {
        callback<void()> fire;
        callback<void(http::answer)> done;
        http::answer got;
        std::uint32_t stamp = 0;  // of the use of this place that counts
        bool live = false;
    };

    http::ticket add(std::int64_t due_ms, event what);

    const peer peer_;
    std::int64_t now_ms_ = 0;
    std::int64_t wall_ms_;
    runtime::schedule due_;
    std::vector<event> events_;
    std::vector<std::uint32_t> free_;
    std::vector<runtime::schedule::item> ready_;
    std::size_t live_ = 0;
    std::uint64_t requests_ = 0;
    std::uint64_t random_ = 1;
    http::ticket last_reserved_ = http::ticket{1} << 63U;  // above every place and stamp
};

}  // namespace gputide::testing
