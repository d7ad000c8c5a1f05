// Helpers that the tests over real sockets share: a client, a request, one blocking fetch.
#pragma once

#include "http/client.hpp"
#include "http/wait.hpp"
#include "support/texts.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace gputide::http {

inline std::shared_ptr<client> open_client() {
    auto out = client::open();
    if (!out) throw std::runtime_error(out.failure().message);
    return *out;
}

inline request get(std::string url) {
    request out;
    out.url = std::move(url);
    return out;
}

// Sends and drives until the answer is there.
inline answer fetch(client& on, request what, std::int64_t budget_ms = 20'000) {
    const std::int64_t deadline = on.steady_ms() + budget_ms;
    std::optional<answer> got;
    std::atomic<bool> there{false};
    on.send(std::move(what), deadline, [&](answer answer) {
        got = std::move(answer);
        there = true;
    });
    on.drive([&] { return there.load(); }, deadline + 5'000);
    EXPECT_TRUE(there) << "no callback";
    return got.value_or(answer{fault::other, "no callback"});
}

class stopwatch {
  public:
    std::int64_t ms() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

using gputide::testing::holds;

}  // namespace gputide::http
