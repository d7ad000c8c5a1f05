// A loop without a network: answers come from a script or a function, time is virtual, everything asked is recorded.
// Any thread may send; one thread at a time runs it.  The same checks as the real transport stand before the script.
#pragma once

#include "http/loop.hpp"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::testing {

// The peer's answer, and how much virtual time it takes.  The body of a streamed 200 comes at once, what it says later in its
// time, its end after delay_ms.
struct scripted_answer {
    http::answer what;
    std::int64_t delay_ms = 0;
    std::vector<std::pair<std::int64_t, std::string>> later = {};  // milliseconds after it was sent
};

// 200 with a body, and so on: scripted(503, "busy", {{"Retry-After", "7"}}).
scripted_answer scripted(std::int32_t status, std::string body = {}, std::vector<http::response_header> headers = {});
scripted_answer scripted_fault(http::fault what, std::string text = {});

struct recorded_request {
    http::request what;
    std::int64_t sent_at_ms = 0;  // steady clock
    std::int64_t deadline_ms = 0;
};

class scripted_loop final : public http::loop {
  public:
    // Script: answers in order, or a function for every request (called on the sending thread, one at a time).
    // A request that finds neither gets fault::other with "no scripted answer".
    void answer_next(scripted_answer what);
    void answer_with(std::function<scripted_answer(const http::request&)> handler);

    // Time.  advance() fires what falls due on the way; the set_ functions move one clock alone and fire nothing.
    void set_steady_ms(std::int64_t now);
    void set_wall_ms(std::int64_t now);
    void advance(std::int64_t ms);
    // Timers and delayed answers then come in their order, but no clock moves: "sleeps are recorded, not waited for".
    void freeze_clocks(bool frozen);
    void set_uniform(double value);  // default 0.5

    // Runs callbacks until nothing is left, moving both clocks to each event.  Returns how many ran.
    std::size_t run_until_idle();
    // The same until finished() holds; false when nothing is left and it still does not.
    bool run_until(const std::function<bool()>& finished);
    // As run_until, but waits (real time) for other threads to bring work; false after timeout_ms.
    bool run_while_others_send(const std::function<bool()>& finished, std::int64_t timeout_ms = 10'000);

    // The requests.
    std::vector<recorded_request> requests() const;  // in the order sent; refused ones are not in it
    std::vector<std::int64_t> delays() const;        // of every after(), canceled ones too
    std::size_t pending() const;                     // callbacks still to come
    std::size_t unused_answers() const;

    http::ticket send(http::outgoing what, std::int64_t deadline_ms, callback<void(http::answer)> done) override;
    http::ticket after(std::int64_t delay_ms, callback<void()> fire) override;
    void cancel(http::ticket which) override;
    http::ticket reserve() override;
    std::int64_t steady_ms() const override;
    std::int64_t wall_ms() const override;
    double uniform() override;

  private:
    using moment = std::pair<std::int64_t, http::ticket>;  // due time, then order of asking

    std::vector<http::ticket> add_pieces(const http::request& to, scripted_answer& from, std::int64_t end_ms);
    static void feed(std::string_view body, const std::function<void(std::string_view)>& to);
    http::ticket add(std::int64_t due_ms, callback<void()> run);
    scripted_answer next_answer(const http::request& what);
    bool run_one(std::int64_t until_ms);

    mutable std::recursive_mutex mutex_;  // a handler may ask the loop for the time
    std::condition_variable_any more_;
    std::map<moment, callback<void()>> events_;
    std::map<http::ticket, std::int64_t> due_;
    std::map<http::ticket, std::vector<http::ticket>> pieces_;  // of streams, that are still to come
    std::deque<scripted_answer> script_;
    std::function<scripted_answer(const http::request&)> handler_;
    std::vector<recorded_request> requests_;
    std::vector<std::int64_t> delays_;
    http::ticket last_ = 0;
    std::int64_t steady_ms_ = 1'000'000;
    std::int64_t wall_ms_ = 1'760'000'000'000;
    double uniform_ = 0.5;
    bool frozen_ = false;
};

}  // namespace gputide::testing
