// Requests to the one API server, and its answers as what they mean for who acts on a cluster: typed, so that nobody decides
// by a text.  The API itself is kube's.  Every request waits here for a place in its lane (budget.hpp).
#pragma once

#include "base/result.hpp"
#include "cluster/budget.hpp"
#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "kube/access.hpp"
#include "kube/endpoint.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gputide::cluster {

using kube::endpoint;

enum class verdict {
    good,
    conflict,   // 409: read again and decide anew
    gone,       // 410: list again
    missing,    // 404: hold
    refused,    // 422, and 400 or 403 with a cause: not before something changes
    throttled,  // 429, 503: later
    unknown,    // 500, 504, or cut off: it may have happened; read before it is repeated
    denied,     // 401, 403
    failed,     // nothing was sent, or an answer that cannot be used
};

struct reply {
    cluster::verdict verdict = verdict::failed;
    error why;  // status ok where the verdict is good
    http::answer answer;
};

// How long nothing is tried after a refusal that lasts until somebody changes something, and after anything at most.
inline constexpr std::int64_t longest_patience_ms = 60'000;

// What the server asks for, at most that: whoever answers in its place may say a day.
std::int64_t asked_patience_ms(const error& why);

// How long to wait after a right was missing, or an object, for the failures-th time in a row: 5 s, 10 s, ... a minute.  Short
// at first: an API server that has just started refuses what it allows a moment later.
std::int64_t missing_patience_ms(std::int32_t failures);

// What a whole answer means.  Pure.
reply judge(http::answer answer, const endpoint& endpoint);

struct api_request {
    endpoint target;
    std::string method = "GET";
    std::string body;  // JSON; "": none
    std::string content_type = "application/json";
    std::string accept = "application/json";
    std::int64_t timeout_ms = 10'000;
};

// A JSON merge patch (RFC 7386), in gputide's name.
api_request merge_patch(endpoint target, std::string body, std::int64_t timeout_ms);

// Makes the request when its turn has come; nothing: it is not wanted any more, and is dropped silently.
using request_maker = std::function<std::optional<api_request>()>;

class request_queue;

// A request that waits for its turn, or is under way.
class api_exchange final : public http::operation<reply> {
  public:
    // not_after_ms: steady; a request whose turn comes later fails without being sent; 0: no limit.
    api_exchange(const std::shared_ptr<request_queue>& queue, request_maker make, std::int64_t not_after_ms,
                 std::function<void(reply)> done);

    void cancel() override;
    // False once it has ended, and when an exhausted memory has kept its end from being told.
    bool is_pending(std::int64_t now_ms) const { return !over() && now_ms < until_ms_; }

  private:
    friend class request_queue;
    void begin(request_queue& queue);
    void end(reply reply);
    bool is_waiting() const { return !over() && !is_sent_; }

    const std::weak_ptr<request_queue> queue_;  // which keeps this one until it has ended
    const request_maker make_;
    const std::int64_t not_after_ms_;
    request_budget::ticket place_ = 0;
    bool is_sent_ = false;
    std::int64_t until_ms_;
};

class api {
  public:
    api(std::shared_ptr<http::loop> loop, kube::access access);

    http::loop& loop() const;
    const kube::access& at() const;

    // One try, and one more after a 401 with another token.  `done` never runs inside this call.  The timeout of a read begins when it is
    // sent.  That of a write begins now, as the right to write was looked at now.
    std::shared_ptr<api_exchange> send(const api_request& request, std::function<void(reply)> done) const;

    // The same for a request that is made when its turn has come.  target: which lane that is.
    std::shared_ptr<api_exchange> send_in_turn(const endpoint& target, request_maker make,
                                               std::function<void(reply)> done) const;

    // A watch: the bytes of a 200 go to `take` as they come, and `done` gets what it ended with.  It takes no place, as it is always
    // under way.
    std::shared_ptr<http::exchange> stream(const endpoint& endpoint, std::int64_t longest_ms,
                                           std::function<void(std::string_view)> take,
                                           std::function<void(reply)> done) const;

    void drop_waiting() const;  // cancels the requests that have not been sent

  private:
    std::shared_ptr<request_queue> queue_;  // of all copies
};

}  // namespace gputide::cluster
