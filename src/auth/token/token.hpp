// A token and the times that rule its life.
#pragma once

#include "base/secret.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace gputide::auth {

struct token {
    secret_text value;
    std::string type;                               // of the header: "Bearer"; "": the same
    std::int64_t issued_at_ms = 0;                  // Unix; when the request that brought it was sent
    std::int64_t issued_at_steady_ms = 0;           // the same moment on the loop's steady clock
    std::int64_t expires_at_ms = 0;                 // Unix; for display: the cache itself runs on the steady clock
    std::int64_t refresh_at_ms = 0;                 // renewal ahead starts here
    std::int64_t usable_until_ms = 0;               // not served beyond this
    std::string client_id;                          // who it was issued to, where the peer says so
    std::shared_ptr<const http::tls_settings> tls;  // with the client certificate that came with it; null: none did

    // A time of this token on the steady clock, whatever the wall clock has done since.
    std::int64_t steady_ms(std::int64_t unix_ms) const { return issued_at_steady_ms + (unix_ms - issued_at_ms); }
};

}  // namespace gputide::auth
