// Requests to the API server, and the meaning of its responses for a controller as a typed verdict, so that no decision depends
// on a message's text.  URLs and credentials come from the module kube.  Every request except a watch waits for a place in its
// lane.
#pragma once

#include "base/callback.hpp"
#include "base/result.hpp"
#include "http/exchange.hpp"
#include "http/loop.hpp"
#include "kube/endpoint.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gputide::kubernetes {

using kube::endpoint;

enum class verdict {
    good,
    conflict,   // 409: read the object again and decide again
    gone,       // 410: list again
    missing,    // 404: the object does not exist
    refused,    // 422, or 400 or 403 with a cause: a retry fails until something changes
    throttled,  // 429, 503: retry later
    unknown,    // 500, 504, or a lost connection: the server may have done it; read before a repeat
    denied,     // 401, 403
    failed,     // nothing was sent, or the response cannot be used
    unsent,     // the request maker returned no request
};

struct reply {
    kubernetes::verdict verdict = verdict::failed;
    error why;  // status ok if the verdict is good
    http::answer answer;
};

// Maximum delay before a retry, and the delay after a refusal that lasts until something changes.
inline constexpr std::int64_t max_retry_delay_ms = 60'000;

// Returns the delay that the server asks for, at most max_retry_delay_ms: a proxy may ask for a day.
std::int64_t requested_delay_ms(const error& why);

// Returns the delay after the given number of consecutive failures because of a missing right or object: 5 s, 10 s, ... 60 s.
// The first delays are short because an API server that has just started refuses requests that it allows a moment later.
std::int64_t retry_delay_ms(std::int32_t failures);

// Classifies a complete response.  Pure.
reply judge(http::answer answer, const endpoint& endpoint);

struct api_request {
    endpoint target;
    std::string method = "GET";
    std::string body = {};  // JSON; "": none
    std::string content_type = "application/json";
    std::string accept = "application/json";
    std::int64_t timeout_ms = 10'000;
};

// Returns a JSON merge patch (RFC 7386) with gputide as field manager.
api_request merge_patch(endpoint target, std::string body, std::int64_t timeout_ms);
// Returns a POST that creates an object in a collection.
api_request creation_in(endpoint collection, std::string body, std::int64_t timeout_ms = api_request().timeout_ms);

// Creates the request when its turn has come, which may be long after it was queued.  Returns no request if it must not be sent
// any more; its verdict is then `unsent`.
using request_maker = callback<std::optional<api_request>()>;

// Returns a maker that always creates this request, for a read.
request_maker always(api_request request);

// Decides which request to the API server is sent next, and how many are in progress.  Pure.
// Each lane has its own places, so that requests of one lane never wait for another lane; the Lease's lane is unlimited.  Within
// a lane the namespaces take turns, and one namespace gets at most half of the places.

// In order of priority.
enum class lane {
    lease,
    write,   // updates of a scale; separate from its reads, because a write is not sent after its timeout
    size,    // reads of a scale
    status,  // status of ScaledObjects and ScaledJobs
    text,    // Secrets, ConfigMaps and tokens of service accounts
    job,     // creating, reading and deleting Jobs
    event,
    list,  // pages of lists
    rest,  // discovery, finalizers, access reviews
};
inline constexpr std::size_t lane_count = 9;

// Returns the lane of a request, by resource and verb as in RBAC.  "deployments/scale", update → write; "pods", list → list.
lane lane_of(const kube::endpoint& target);
// Returns the namespace in the request's path; "" for a request without namespace.
std::string tenant_of(const kube::endpoint& target);
std::size_t max_under_way(lane lane);  // number of places in the lane
// Returns the number of places of one namespace in the lane; is_tenant false: of the requests without a namespace.
std::size_t max_of_tenant(lane lane, bool is_tenant);

class request_budget {
  public:
    using ticket = std::uint64_t;  // never 0

    ticket add(lane lane, const std::string& tenant);
    // Returns the request that may be sent now.  Frees the places of requests that never ended.
    std::optional<ticket> next(std::int64_t now_ms);
    void begin(ticket sent);
    void put_back(ticket unsent);  // the request could not be sent; it waits at its old position
    // Sets the time after which the request counts as ended, because its callback was lost for lack of memory.
    void ends_until(ticket sent, std::int64_t until_ms) { places_.at(sent).until_ms = until_ms; }
    void end(ticket gone);  // the request ended or was dropped; an unknown ticket is ignored

    std::size_t under_way(lane lane) const { return of(lane).under_way; }
    std::size_t waiting() const { return places_.size() - under_way_.size(); }

  private:
    struct place {
        kubernetes::lane lane = lane::rest;
        std::string tenant;
        std::int64_t until_ms = std::numeric_limits<std::int64_t>::max();
        bool is_under_way = false;
    };
    struct tenant_requests {
        std::set<ticket> waiting;  // oldest first
        std::size_t under_way = 0;
    };
    struct lane_requests {
        std::map<std::string, tenant_requests> tenants;
        std::string last;  // tenant of the last request that was sent
        std::size_t under_way = 0;
    };

    const lane_requests& of(lane lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
    lane_requests& of(lane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
    void forget_lost(std::int64_t now_ms);
    std::optional<ticket> next_of(lane lane) const;

    std::array<lane_requests, lane_count> lanes_;
    std::map<ticket, place> places_;
    std::set<ticket> under_way_;
    ticket last_ = 0;
};

class api;

// An operation that may never end, because a failed allocation prevented its callback.
class pending {
  public:
    pending() = default;
    pending(const pending&) = delete;
    pending& operator=(const pending&) = delete;
    virtual ~pending() = default;
    // Tells whether the operation may still end; true while a request of it waits for its turn. now_ms: steady clock.
    virtual bool is_pending(std::int64_t now_ms) const = 0;
};

// A request that waits for its turn or is in progress.
class api_exchange final : public http::operation<reply>, public pending {
  public:
    api_exchange(api& queue, request_maker make, callback<void(reply)> done);

    void cancel() override;
    bool is_pending(std::int64_t now_ms) const override { return !over() && now_ms < until_ms_; }

  private:
    friend class api;
    void begin(api& queue);
    void end(reply reply);
    void end_unsent();
    bool is_waiting() const { return !over() && !is_sent_; }

    const std::weak_ptr<api> queue_;  // the queue owns this exchange until it has ended
    const request_maker make_;
    request_budget::ticket place_ = 0;
    bool is_sent_ = false;
    std::int64_t until_ms_;
};

// The queue of requests to one API server.  Runs on the loop's thread.
class api : public std::enable_shared_from_this<api> {
  public:
    api(std::shared_ptr<http::loop> loop, kube::access access) : loop_(std::move(loop)), access_(std::move(access)) {}
    api(const api&) = delete;
    api& operator=(const api&) = delete;
    ~api();  // cancels all requests

    http::loop& loop() const { return *loop_; }
    const kube::access& at() const { return access_; }

    // Sends a request, and once more with a new token after a 401.  `make` is called when the turn has come: the request's
    // timeout starts then, and the maker of a write checks the right to write then.  `done` never runs inside this call. target:
    // selects the lane.
    std::shared_ptr<api_exchange> send(const endpoint& target, request_maker make, callback<void(reply)> done);
    // Sends this request, for a read.
    std::shared_ptr<api_exchange> send(const api_request& request, callback<void(reply)> done);

    // Returns a maker with a timeout that starts now and includes the waiting; the maker returns no request after the timeout.
    request_maker in_time(api_request request) const;

    // Starts a watch: the body of a 200 goes to `take` in pieces, `done` gets the result.  A watch uses no place, because it
    // lasts.
    std::shared_ptr<http::exchange> stream(const endpoint& endpoint, std::int64_t longest_ms,
                                           std::function<void(std::string_view)> take,
                                           callback<void(reply)> done) const;

    void drop_waiting();  // cancels the requests that have not been sent

  private:
    friend class api_exchange;
    void leave(request_budget::ticket place);  // ended, dropped or canceled
    void send_waiting();
    void send_waiting_later() noexcept;
    // Sends the request immediately, without a place in a lane.
    std::shared_ptr<http::exchange> transmit(http::request request, endpoint target, std::int64_t longest_ms,
                                             callback<void(reply)> done) const;

    const std::shared_ptr<http::loop> loop_;
    const kube::access access_;
    request_budget budget_;
    std::map<request_budget::ticket, std::shared_ptr<api_exchange>> requests_;  // waiting or in progress
    bool is_sending_later_ = false;
};

// Returns a callback that does nothing once `self` is deleted.  call: call(self, arguments...).
template <class Self, class Call>
auto while_alive(Self& self, Call call) {
    return [weak = self.weak_from_this(), call = std::move(call)](const auto&... arguments) {
        using value = decltype(call(std::declval<Self&>(), arguments...));
        const auto here = weak.lock();
        if constexpr (std::is_void_v<value>) {
            if (here) call(static_cast<Self&>(*here), arguments...);
        } else {
            return here ? call(static_cast<Self&>(*here), arguments...) : value{};
        }
    };
}

// Several requests to the API server, sent one after another; each may wait for its turn.

template <class Value>
class api_operation : public http::operation<Value>, public pending {
  public:
    // Has no deadline of its own: each request has one.
    api_operation(http::loop& runs_on, callback<void(Value)> done)
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
    void pause(std::int64_t delay_ms, callback<void()> next) {
        this->after(delay_ms, std::move(next));
        set_paused(delay_ms);
    }
    void end_soon(Value outcome) {
        this->finish_soon(std::move(outcome));
        set_paused(0);
    }

  private:
    static constexpr std::int64_t late_ms = 5'000;  // maximum delay of a timer

    void set_paused(std::int64_t delay_ms) { paused_until_ms_ = this->loop().steady_ms() + delay_ms + late_ms; }

    std::weak_ptr<api_exchange> request_;  // the last request; its callback keeps this operation alive
    std::int64_t paused_until_ms_ = 0;     // steady clock
};

// Work in progress at the API server, and the time of the next attempt after a failure.

// Work that something waits for.  Requests to the API server know whether they can still end; other work has a time limit.
class awaited {
  public:
    // Work: an http::exchange and a pending.
    template <class Work>
    void begin(const std::shared_ptr<Work>& work) {
        cancel();  // an earlier work that never ended
        work_ = work;
        pending_ = work;
    }
    // work: null if nothing can be canceled.  until_ms: steady clock; the work counts as ended after it.
    void begin_until(std::shared_ptr<http::exchange> work, std::int64_t until_ms) {
        cancel();
        work_ = std::move(work);
        until_ms_ = until_ms;
    }
    void end() {
        work_.reset();
        pending_.reset();
        until_ms_ = 0;
    }
    void cancel() {
        if (work_) work_->cancel();
        end();
    }
    bool is_under_way(std::int64_t now_ms) const {
        return pending_ ? pending_->is_pending(now_ms) : now_ms < until_ms_;
    }

  private:
    std::shared_ptr<http::exchange> work_;
    std::shared_ptr<const pending> pending_;
    std::int64_t until_ms_ = 0;
};

struct attempt {
    awaited work;
    std::int32_t failures = 0;       // consecutive
    std::int64_t not_before_ms = 0;  // steady clock

    bool may_begin(std::int64_t now_ms) const { return !work.is_under_way(now_ms) && now_ms >= not_before_ms; }
    // Sets the time of the next attempt: at least min_wait_ms later, and later after each consecutive failure.
    void ended(bool is_good, std::int64_t now_ms, std::int64_t min_wait_ms = 0) {
        failures = is_good ? 0 : failures + 1;
        not_before_ms = now_ms + std::max(min_wait_ms, is_good ? 0 : retry_delay_ms(failures));
    }
    // Sets the time of the next write.  After a refusal: max_retry_delay_ms, because a refusal lasts until something changes.
    // After a denial: later each time.  Otherwise: when the server asks for it.
    template <class Result>
    void wrote(Result result, const error& why, std::int64_t now_ms) {
        const bool is_denied = result == Result::denied;
        failures = is_denied ? failures + 1 : 0;
        not_before_ms = now_ms + (result == Result::refused ? max_retry_delay_ms
                                  : is_denied               ? retry_delay_ms(failures)
                                                            : requested_delay_ms(why));
    }
};

}  // namespace gputide::kubernetes
