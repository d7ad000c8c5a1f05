// A token endpoint's 2xx response as a token.  Used by all credentials; pure.
// Never quotes an invalid body: a truncated one may hold a token.
#pragma once

#include "auth/token/token.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::auth {

// Both clocks at one time: when the successful attempt was sent, or earlier.
struct moment {
    std::int64_t wall_ms = 0;
    std::int64_t steady_ms = 0;
};

// `endpoint` names the peer in errors.
result<token> read_token_answer(const http::response& response, const moment& sent, const std::string& endpoint);

// Errors of class protocol: "<endpoint> answered with HTTP 200 and <why>", and that the body is neither of the expected formats.
error_ptr unusable_token_answer(const std::string& endpoint, const http::response& response, const std::string& why);
error_ptr unreadable_token_answer(const std::string& endpoint, const http::response& response);

// Returns a token that was issued at `sent` and lives life_s seconds.
token token_living(secret_text value, const moment& sent, std::int64_t life_s, std::int64_t refresh_in_s = 0);

// The longest accepted lifetime, in seconds.
inline constexpr std::int64_t longest_life_s = 2'147'483'647;

// Control characters in a token would end its header and begin another.
bool has_control_character(std::string_view text);

// Returns when to renew a token that lives `life_s` seconds, and how long to use it; both in seconds from its issue.
// Renewal: refresh_in if 0 < refresh_in <= life; else from 7200 s on half the life, above 600 s five minutes before the
// end, else half.  Usable: until min(60, life / 10) before the end.  3599 -> renew at 3299, usable until 3539.
std::int64_t renewal_after_s(std::int64_t life_s, std::int64_t refresh_in_s);
std::int64_t usable_for_s(std::int64_t life_s);

}  // namespace gputide::auth
