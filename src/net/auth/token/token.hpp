// A token and its lifetime.
#pragma once

#include "base/secret.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace gputide::auth {

struct token {
    secret_text value;
    std::string type;                               // in the header; "": "Bearer"
    std::int64_t issued_at_ms = 0;                  // Unix time when its request was sent
    std::int64_t issued_at_steady_ms = 0;           // the same time on the loop's steady clock
    std::int64_t expires_at_ms = 0;                 // Unix time for display; the cache uses the steady clock
    std::int64_t refresh_at_ms = 0;                 // start of early renewal
    std::int64_t usable_until_ms = 0;               // not used after this time
    std::string client_id;                          // client to which it was issued, if the server reports it
    std::shared_ptr<const http::tls_settings> tls;  // contains the client certificate that came with it; null: none

    // Converts a time of this token to the steady clock, independent of later changes of the wall clock.
    std::int64_t steady_ms(std::int64_t unix_ms) const { return issued_at_steady_ms + (unix_ms - issued_at_ms); }
};

}  // namespace gputide::auth
