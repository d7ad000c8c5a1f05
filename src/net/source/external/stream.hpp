// The stream StreamIsActive: an answer of many messages, each of which says whether the workload is active.
#pragma once

#include "auth/authenticator.hpp"
#include "base/result.hpp"
#include "http/exchange.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace gputide::source::external {

// What it came to.
struct stream_outcome {
    error why{status::ok};
    http::outgoing sent;  // for redaction
    http::fault fault = http::fault::none;
    bool is_over_time = false;
};

// A stream may be held for so long: a peer that vanished without a word is noticed then at the latest.  Ten minutes to fifteen, so
// that streams that began together do not end together.
std::int64_t longest_stream_ms(double uniform);

// `request` is limited by longest_ms.  `on_activity` and `done` as metric_source::listen().
std::shared_ptr<http::exchange> open_stream(const std::shared_ptr<http::loop>& loop,
                                            const auth::authenticator& authenticator, result<http::request> request,
                                            std::int64_t longest_ms, std::function<void(bool)> on_activity,
                                            std::function<void(stream_outcome)> done);

}  // namespace gputide::source::external
