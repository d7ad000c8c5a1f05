// Several exporters asked at once; one outcome each, in the order of their addresses, when the last one is there.
// Knows nothing of what the answers mean.
#pragma once

#include "auth/asking.hpp"
#include "auth/authenticator.hpp"
#include "http/retry.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gputide::source::dcgm {

// `done` runs once on the loop, never inside this call; not after cancel().
std::shared_ptr<http::exchange> scrape_all(const std::shared_ptr<http::loop>& loop,
                                           const auth::authenticator& authenticator,
                                           const std::vector<result<http::request>>& requests, std::int64_t deadline_ms,
                                           std::function<void(std::vector<result<auth::exchanged>>)> done);

}  // namespace gputide::source::dcgm
