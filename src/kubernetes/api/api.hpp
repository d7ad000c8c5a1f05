// Requests to the API server, and what its responses mean for a controller: typed, so that no decision depends on a text.  The API
// itself is kube's.  Every request waits here for a place in its lane (budget.hpp).
#pragma once

#include "base/result.hpp"
#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "kube/access.hpp"
#include "kube/endpoint.hpp"
#include "kubernetes/api/budget.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gputide::kubernetes {

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
    unsent,     // its maker made nothing when its turn came
};

struct reply {
    kubernetes::verdict verdict = verdict::failed;
    error why;  // status ok where the verdict is good
    http::answer answer;
};

// The longest delay before a retry; also the delay after a refusal that lasts until something is changed.
inline constexpr std::int64_t max_retry_delay_ms = 60'000;

// Returns the delay that the server asks for, at most max_retry_delay_ms: a proxy may ask for a day.
std::int64_t requested_delay_ms(const error& why);

// Returns the delay after a right or an object was missing for the failures-th time in a row: 5 s, 10 s, ... a minute.  Short
// at first: an API server that has just started refuses what it allows a moment later.
std::int64_t retry_delay_ms(std::int32_t failures);

// Classifies a whole response.  Pure.
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

// Makes the request when its turn has come, which may be long after it was asked for.  Nothing: it is not to be sent any more, and
// its verdict is `unsent`.
using request_maker = std::function<std::optional<api_request>()>;

// Makes this request, whenever its turn comes: a read.
request_maker always(api_request request);

class request_queue;

// Work that may never end, because a failed allocation kept a callback from running.
class pending {
  public:
    pending() = default;
    pending(const pending&) = delete;
    pending& operator=(const pending&) = delete;
    virtual ~pending() = default;
    // Whether its end may still come; true as long as a request of it waits for its turn.  now_ms: steady.
    virtual bool is_pending(std::int64_t now_ms) const = 0;
};

// A request that waits for its turn, or is under way.
class api_exchange final : public http::operation<reply>, public pending {
  public:
    api_exchange(const std::shared_ptr<request_queue>& queue, request_maker make, std::function<void(reply)> done);

    void cancel() override;
    bool is_pending(std::int64_t now_ms) const override { return !over() && now_ms < until_ms_; }

  private:
    friend class request_queue;
    void begin(request_queue& queue);
    void end(reply reply);
    void end_unsent();
    bool is_waiting() const { return !over() && !is_sent_; }

    const std::weak_ptr<request_queue> queue_;  // which keeps this one until it has ended
    const request_maker make_;
    request_budget::ticket place_ = 0;
    bool is_sent_ = false;
    std::int64_t until_ms_;
};

class api {
  public:
    api(std::shared_ptr<http::loop> loop, kube::access access);

    http::loop& loop() const;
    const kube::access& at() const;

    // One try, and one more after a 401 with another token.  `make` says what is sent when its turn has come, and the request's timeout
    // begins then.  So a write's maker looks at the right to write.  `done` never runs inside this call.  target: which lane it waits in.
    std::shared_ptr<api_exchange> send(const endpoint& target, request_maker make,
                                       std::function<void(reply)> done) const;

    // Makes the request with what is left of its timeout, which begins now, and nothing once that is over.
    request_maker in_time(api_request request) const;

    // A watch: the bytes of a 200 go to `take` as they come, and `done` gets what it ended with.  It takes no place, as it is always
    // under way.
    std::shared_ptr<http::exchange> stream(const endpoint& endpoint, std::int64_t longest_ms,
                                           std::function<void(std::string_view)> take,
                                           std::function<void(reply)> done) const;

    void drop_waiting() const;  // cancels the requests that have not been sent

  private:
    std::shared_ptr<request_queue> queue_;  // of all copies
};

// Several requests to the API server, one after another, each of which may wait for its turn.

template <class Value>
class api_operation : public http::operation<Value>, public pending {
  public:
    // Without a deadline: each request has its own.
    api_operation(http::loop& runs_on, std::function<void(Value)> done)
        : http::operation<Value>(runs_on, std::numeric_limits<std::int64_t>::max(), std::move(done)) {}

    bool is_pending(std::int64_t now_ms) const final {
        if (this->over()) return false;
        const std::shared_ptr<api_exchange> request = request_.lock();
        return now_ms < paused_until_ms_ || (request && request->is_pending(now_ms));
    }

  protected:
    void carry_request(std::shared_ptr<api_exchange> request) {
        request_ = request;
        this->carry(std::move(request));
    }
    void pause(std::int64_t delay_ms, std::function<void()> next) {
        this->after(delay_ms, std::move(next));
        set_paused(delay_ms);
    }
    void end_soon(Value outcome) {
        this->finish_soon(std::move(outcome));
        set_paused(0);
    }

  private:
    static constexpr std::int64_t late_ms = 5'000;  // of a timer

    void set_paused(std::int64_t delay_ms) { paused_until_ms_ = this->loop().steady_ms() + delay_ms + late_ms; }

    std::weak_ptr<api_exchange> request_;  // the last one, which keeps this operation for its answer
    std::int64_t paused_until_ms_ = 0;     // steady
};

}  // namespace gputide::kubernetes
