// An opened metric source.  Two functions without I/O: settings to requests, and responses to a sample; send_polls()
// sends.  A new type of source is one folder beside this file and one row in registry.cpp.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "base/result.hpp"
#include "http/exchange.hpp"
#include "http/loop.hpp"
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
    auth::cluster_choice cluster;  // which Kubernetes API server, chosen by the host program
};

// The part of a response that the caller wants.
enum class detail : std::int32_t {
    value = 0,       // only the sample; `reading` then has no series, only warnings and infos
    everything = 1,  // every series with its labels
};

// A time range with both ends included; step_ms > 0.
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
    std::int64_t now_ms = 0;  // Unix time of the value
    detail wanted = detail::value;
    std::optional<time_range> range = {};  // set: read this range instead of a value; requires traits::keeps_past
    // The clocks at the start of the current round, set by send_polls() and fetch().
    std::int64_t wall_ms = 0;
    std::int64_t steady_ms = 0;
    std::unique_ptr<poll_state> state = nullptr;
};

// A request of a poll without its token, or the reason why it cannot be built.
struct query {
    result<http::request> request;
    http::retry_rule retry = auth::one_safe_repeat();
};
using queries = std::vector<query>;
using answered = result<auth::exchanged>;  // failure: the request or its token could not be obtained

// A read without HTTP, such as from a GPU driver.  Delivers the result later, by the deadline on the loop's steady clock.
using local_read = callback<std::shared_ptr<http::exchange>(std::int64_t deadline_ms, callback<void(fetched)> done)>;

// The next step of a poll: requests that are sent in parallel, a read without HTTP, or the result.
using step = std::variant<queries, local_read, fetched>;

// A report that the server sends on its own.
enum class stream_report : std::int32_t {
    inactive = 0,
    active = 1,
    targets = 2
};  // targets: the targets of the next poll differ

// The end of a stream on which a server reports activity.
struct stream_end {
    error why{status::ok};      // status ok: the server closed the stream, or its time limit was reached
    bool is_over_time = false;  // the time limit was reached; every stream has one, so that a lost peer is noticed
    bool is_unserved = false;   // the server does not implement the stream
};

class metric_source : public std::enable_shared_from_this<metric_source> {
  public:
    metric_source(const metric_source&) = delete;
    metric_source& operator=(const metric_source&) = delete;
    virtual ~metric_source() = default;

    const source::metric& metric() const { return metric_; }
    const source::target& target() const { return metric_.target; }
    // Returns the authentication of the requests; null if nothing is sent over the network.
    const auth::authenticator* access() const { return access_ ? &*access_ : nullptr; }
    const std::shared_ptr<http::loop>& loop() const { return loop_; }
    // Returns a key that is equal for the same query by the same caller, for sharing responses inside a process.  The key is a
    // digest and reveals nothing.
    std::string query_key() const { return {query_key_.begin(), query_key_.end()}; }

    // For sources with one request per poll: the request, without a token but with static headers, and the parser of its
    // response.
    virtual result<http::request> request(std::int64_t now_ms) const = 0;
    virtual result<source::reading> read(const http::answer& answer) const = 0;
    // Returns one request per address; several if a trigger lists several addresses.
    virtual std::vector<result<http::request>> requests(std::int64_t now_ms) const { return {request(now_ms)}; }
    fetched judge(result<source::reading> reading) const { return metric_.judge(std::move(reading)); }

    // A poll without I/O: begin() returns the first requests, next() the step after their responses, which are in the order of
    // the requests.  Secrets are removed from the errors.
    virtual step begin(poll& poll);
    virtual step next(poll& poll, const std::vector<answered>& answers);

    // Polls only this source, over its loop.  deadline_ms is on the loop's steady clock.  `done` runs on the loop, never inside
    // this call.  The source is kept alive.
    std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms, callback<void(fetched)> done,
                                          detail wanted = detail::value);

    // Reads every series over a range.  Otherwise like fetch().  Returns null if traits::keeps_past is false.
    std::shared_ptr<http::exchange> fetch_range(const time_range& range, std::int64_t deadline_ms,
                                                callback<void(result<source::reading>)> done);

    // Opens a stream if traits::pushes, otherwise returns null.  The stream runs directly over `loop`, outside the limits that
    // requests share.  `on_report` runs for each report of the server; of reports that arrive together, only for the last one.
    // `done` runs once.  Neither runs inside this call, nor after cancel().  The source is kept alive.
    virtual std::shared_ptr<http::exchange> listen(const std::shared_ptr<http::loop>&,
                                                   std::function<void(stream_report)>, callback<void(stream_end)>) {
        return nullptr;
    }

    error at_label(error why) const;

  protected:
    // `question`: as in description.  `access`: nullopt if no network is used.
    metric_source(source::metric metric, std::string_view question, std::optional<auth::authenticator> access,
                  std::shared_ptr<http::loop> loop);

    const std::string& label() const { return metric_.label; }
    // Adds the authenticator's part, except a token, to the request.  Errors name the trigger.
    result<http::request> prepared(result<http::request> request) const;

    // The sample of a response, and when to repeat the request, for sources with one request per poll.
    virtual fetched sample_of(const http::answer& answer, const poll&) const { return judge(read(answer)); }
    virtual http::retry_rule retry() const { return auth::one_safe_repeat(); }

    // Adds the trigger's label to an error and removes the secrets of the answered request.
    error outward(error why, const poll& poll, const answered& answer) const;
    fetched failed(error why, const poll& poll, const answered& answer) const;

  private:
    const source::metric metric_;
    const std::optional<auth::authenticator> access_;
    const std::shared_ptr<http::loop> loop_;
    std::array<char, 16> query_key_{};
};

// The parts of a source that sends one request per poll and needs no state.
struct request_parts {
    callback<result<http::request>(std::int64_t now_ms)> request;  // without authentication
    callback<result<reading>(const http::answer& answer)> read;
    std::int64_t max_age_ms = 0;  // of a value; 0: no limit
    std::string age_remedy;       // what to check if the value is too old
    http::retry_rule retry = auth::one_safe_repeat();
};
std::shared_ptr<metric_source> make_request_source(const description& described, request_parts parts,
                                                   auth::authenticator access, std::shared_ptr<http::loop> loop);

// A source that does not use HTTP: request() and read() fail with the reason `why`.
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

// Opens the source of a trigger and its credential; sends nothing.  Errors: description::lacking, and those of the credential.
result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

// Sends the requests of several sources in parallel and collects the results.

struct source_poll {
    std::shared_ptr<metric_source> source;
    source::poll poll;
};

struct polled {
    fetched outcome;
    std::int64_t took_ms = 0;
};

// Polls all sources in parallel.  The rounds of one source are sequential; different sources do not wait for each other.  `done`
// gets the results in the order of `polls`; it runs on the loop, never inside this call, nor after cancel().  The sources are
// kept alive.  Every request ends by deadline_ms (steady clock).  Must be called on the loop's thread.
std::shared_ptr<http::exchange> send_polls(http::loop& loop, std::vector<source_poll> polls, std::int64_t deadline_ms,
                                           callback<void(std::vector<polled>)> done);

// Returns the reading of a poll with a range, or the poll's error.
result<reading> reading_of(fetched outcome);

}  // namespace gputide::source
