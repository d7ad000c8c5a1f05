// A metric at work: asks its endpoint and reads the answer.  request() and read() are pure; fetch() joins them over a loop.
// A new kind of source is one folder beside this file and one row in registry.cpp.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "auth/token/cache.hpp"
#include "base/result.hpp"
#include "http/loop.hpp"
#include "source/description.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source {

// The pieces that sources share.
struct services {
    std::shared_ptr<http::loop> loop;
    std::shared_ptr<auth::token_cache> tokens;
    std::shared_ptr<const auth::surroundings> host;
    auth::host_permissions permissions;
    auth::cluster_choice cluster;  // which Kubernetes API server, as the host says
};

// How much of an answer somebody wants to see.
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

// How a stream on which a peer tells by itself came to its end.
struct stream_end {
    error why{status::ok};      // status ok: as the peer wished, or because its time was over
    bool is_over_time = false;  // none is held for ever: a peer that vanished without a word would keep it open
    bool is_unserved = false;   // the peer has no such stream
};

class metric_source {
  public:
    metric_source(const metric_source&) = delete;
    metric_source& operator=(const metric_source&) = delete;
    virtual ~metric_source() = default;

    const source::metric& metric() const { return metric_; }
    const source::target& target() const { return metric_.target; }
    // Who asks, and what travels with the request; null where nothing is asked over the network.
    const auth::authenticator* access() const { return access_ ? &*access_ : nullptr; }
    // Equal keys ask the same thing as the same caller: for sharing answers inside a process.  A digest; nothing can be
    // read from it.
    std::string query_key() const { return {query_key_.begin(), query_key_.end()}; }

    // The pure halves.  The request has no token in it (that comes from fetch); static headers are there.
    virtual result<http::request> request(std::int64_t now_ms) const = 0;
    virtual result<source::reading> read(const http::answer& answer) const = 0;
    // One per address that is asked; more than one where a trigger names several.
    virtual std::vector<result<http::request>> requests(std::int64_t now_ms) const { return {request(now_ms)}; }
    fetched judge(result<source::reading> reading) const { return metric_.judge(std::move(reading)); }

    // One value, token and one renewal after a 401 included.  deadline_ms on the loop's steady clock.  `done` runs on the
    // loop, never inside this call; the source must live until then, or until the exchange was cancelled.
    virtual std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                                  std::function<void(fetched)> done, detail wanted = detail::value) = 0;

    // The past: every series over a range.  As fetch(); null where traits::keeps_past is false.
    virtual std::shared_ptr<http::exchange> fetch_range(const time_range&, std::int64_t,
                                                        std::function<void(result<source::reading>)>) {
        return nullptr;
    }

    // Where traits::pushes: one stream, straight over `loop`, as it takes part in no limit that questions share.  `on_activity` runs each
    // time the peer says whether it is active, of words that come together for the last one; `done` once.  Neither runs inside
    // this call, nor once the exchange was cancelled.  The source is kept alive.  Elsewhere null.
    virtual std::shared_ptr<http::exchange> listen(const std::shared_ptr<http::loop>&, std::function<void(bool)>,
                                                   std::function<void(stream_end)>) {
        return nullptr;
    }

  protected:
    // `question` as in description; access: nothing where no network is asked.
    metric_source(source::metric metric, std::string_view question, std::optional<auth::authenticator> access);

    const std::string& label() const { return metric_.label; }
    const auth::authenticator& authenticator() const { return *access_; }
    // The request with what the authenticator adds to it before a token; errors are placed at the trigger.
    result<http::request> prepared(result<http::request> request) const;
    error at_label(error why) const;

  private:
    const source::metric metric_;
    const std::optional<auth::authenticator> access_;
    std::array<char, 16> query_key_{};
};

// Takes what describe() gave: opens the credential, asks nobody yet.  Errors: description::lacking, and what the credential
// says.
result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source
