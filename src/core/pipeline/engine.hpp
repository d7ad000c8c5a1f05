// What handles share while any of them lives: the curl client with its connections, and the token cache.
#pragma once

#include "auth/token/cache.hpp"
#include "base/result.hpp"
#include "http/client.hpp"

#include <memory>

namespace gputide::pipeline {

struct engine {
    engine() = default;
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    ~engine() {
        if (client != nullptr) client->close();
    }

    std::shared_ptr<http::client> client;
    std::shared_ptr<auth::token_cache> tokens;
};

// The process's engine: made for the first handle, gone with the last.  A forked child gets one of its own.
result<std::shared_ptr<engine>> shared_engine();

}  // namespace gputide::pipeline
