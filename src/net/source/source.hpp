// A metric source at work: two pure functions, spec → requests and answers → sample.  The driver of poll.hpp sends.
// A new kind of source is one folder beside this file and one row in registry.cpp.
#pragma once

#include "auth/asking.hpp"
#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "auth/token/cache.hpp"
#include "base/result.hpp"
#include "http/loop.hpp"
#include "http/retry.hpp"
#include "source/description.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gputide::source {

// Services that all sources share.
struct services {
    std::shared_ptr<http::loop> loop;
    std::shared_ptr<auth::token_cache> tokens;
    std::shared_ptr<const auth::surroundings> host;
    auth::host_permissions permissions;
    auth::cluster_choice cluster;  // which Kubernetes API server, as the host says
};

// The part of an answer that the caller wants.
enum class detail : std::int32_t {
    value = 0,       // the sample; `reading` then holds warnings and infos alone
    everything = 1,  // every series with its labels
};

// Both ends included; step_ms > 0.
struct time_range {
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;
    std::int64_t step_ms = 0;
};

// The state of a source between the rounds of one poll.
struct poll_state {
    poll_state() = default;
    poll_state(const poll_state&) = delete;
    poll_state& operator=(const poll_state&) = delete;
    virtual ~poll_state() = default;
};

// One poll of one source.
struct poll {
    std::int64_t now_ms = 0;  // Unix: the time that the value is for
    detail wanted = detail::value;
    std::optional<time_range> range = {};  // the reading of this range is wanted, and no value; traits::keeps_past
    // The clocks at the current round; the driver sets them.
    std::int64_t wall_ms = 0;
    std::int64_t steady_ms = 0;
    std::unique_ptr<poll_state> state = nullptr;
};

// A request of a poll, with everything but a token; or the reason why there is none.
struct query {
    result<http::request> request;
    http::retry_rule retry = auth::one_safe_repeat();
};
using queries = std::vector<query>;
using answered = result<auth::exchanged>;  // failure: the request or its token is missing

// Reads without HTTP, such as from a driver: delivers the outcome later, by the deadline on the loop's steady clock.
using local_read =
    std::function<std::shared_ptr<http::exchange>(std::int64_t deadline_ms, std::function<void(fetched)> done)>;

// The next step of a poll: requests that are sent side by side, or the result.
using step = std::variant<queries, local_read, fetched>;

// A report that a peer sends by itself.
enum class stream_report : std::int32_t {
    inactive = 0,
    active = 1,
    targets = 2
};  // targets: those of the next poll differ

// The end of a stream on which a peer reports its activity.
struct stream_end {
    error why{status::ok};      // status ok: the peer ended it, or its time was over
    bool is_over_time = false;  // every stream is limited, so that a peer that vanished is noticed
    bool is_unserved = false;   // the peer has no such stream
};

class metric_source : public std::enable_shared_from_this<metric_source> {
  public:
    metric_source(const metric_source&) = delete;
    metric_source& operator=(const metric_source&) = delete;
    virtual ~metric_source() = default;

    const source::metric& metric() const { return metric_; }
    const source::target& target() const { return metric_.target; }
    // Authentication of the requests; null if nothing is sent over the network.
    const auth::authenticator* access() const { return access_ ? &*access_ : nullptr; }
    const std::shared_ptr<http::loop>& loop() const { return loop_; }
    // Equal keys mean the same query by the same caller: for sharing answers inside a process.  A digest; nothing can be
    // read from it.
    std::string query_key() const { return {query_key_.begin(), query_key_.end()}; }

    // The usual source: one request, and how its answer is read.  The request has no token; static headers are there.
    virtual result<http::request> request(std::int64_t now_ms) const = 0;
    virtual result<source::reading> read(const http::answer& answer) const = 0;
    // One per address; more than one if a trigger names several.
    virtual std::vector<result<http::request>> requests(std::int64_t now_ms) const { return {request(now_ms)}; }
    fetched judge(result<source::reading> reading) const { return metric_.judge(std::move(reading)); }

    // A poll in two pure functions.  begin() returns its first requests, next() what follows from their answers, which come
    // in the order of the requests.  Errors are as they may leave the library.
    virtual step begin(poll& poll);
    virtual step next(poll& poll, const std::vector<answered>& answers);

    // Polls this source alone, over its loop.  deadline_ms on the loop's steady clock.  `done` runs on the loop, never inside
    // this call.  The source is kept alive.
    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                          std::function<void(fetched)> done, detail wanted = detail::value);

    // The past: every series over a range.  As fetch(); null if traits::keeps_past is false.
    std::shared_ptr<http::exchange> fetch_range(const time_range& range, std::int64_t deadline_ms,
                                                std::function<void(result<source::reading>)> done);

    // Opens a stream if traits::pushes, else returns null.  It runs straight over `loop` and takes part in no limit that
    // requests share.  `on_report` runs each time the peer reports something, for the last report of those that arrive
    // together; `done` runs once.  Neither runs inside this call, nor after cancel().  The source is kept alive.
    virtual std::shared_ptr<http::exchange> listen(const std::shared_ptr<http::loop>&,
                                                   std::function<void(stream_report)>,
                                                   std::function<void(stream_end)>) {
        return nullptr;
    }

    error at_label(error why) const;

  protected:
    // `question` as in description; access: nothing if no network is used.
    metric_source(source::metric metric, std::string_view question, std::optional<auth::authenticator> access,
                  std::shared_ptr<http::loop> loop);

    const std::string& label() const { return metric_.label; }
    // The request with what the authenticator adds to it before a token; errors are placed at the trigger.
    result<http::request> prepared(result<http::request> request) const;

    // The sample of a usual source's answer, and when its request is repeated.
    virtual fetched sample_of(const http::answer& answer, const poll&) const { return judge(read(answer)); }
    virtual http::retry_rule retry() const { return auth::one_safe_repeat(); }

    // An error as it may leave the library: of what could not be sent, or about an answer.
    error outward(error why, const poll& poll) const;
    error outward(error why, const poll& poll, const auth::exchanged& answer) const;
    fetched failed(error why, const poll& poll) const;
    fetched failed(error why, const poll& poll, const auth::exchanged& answer) const;

  private:
    const source::metric metric_;
    const std::optional<auth::authenticator> access_;
    const std::shared_ptr<http::loop> loop_;
    std::array<char, 16> query_key_{};
};

// A source that is not asked over HTTP: request() and read() fail with the reason.
class local_source : public metric_source {
  public:
    result<http::request> request(std::int64_t) const final { return no_endpoint(); }
    result<source::reading> read(const http::answer&) const final { return no_endpoint(); }

  protected:
    local_source(const description& described, std::shared_ptr<http::loop> loop, std::string_view why);
    const error& no_endpoint() const { return no_endpoint_; }

  private:
    const error no_endpoint_;
};

// Opens what describe() returned: opens the credential and sends nothing.  Errors: description::lacking, and those of the
// credential.
result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source
