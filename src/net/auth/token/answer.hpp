// Parses a token endpoint's 2xx response, for all credentials; pure.  Never quotes an invalid body: a truncated body may contain
// a token.
#pragma once

#include "auth/token/token.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::auth {

// The time on both clocks: when the successful attempt was sent, or earlier.
struct moment {
    std::int64_t wall_ms = 0;
    std::int64_t steady_ms = 0;
};

// `endpoint` is the server's URL for errors.
result<token> read_token_answer(const http::response& response, const moment& sent, const std::string& endpoint);

// Return errors of class protocol: "<endpoint> answered with HTTP 200 and <why>", and a body that has no expected format.
error_ptr unusable_token_answer(const std::string& endpoint, const http::response& response, const std::string& why);
error_ptr unreadable_token_answer(const std::string& endpoint, const http::response& response);

// Returns a token issued at `sent` with a lifetime of life_s seconds.
token token_living(secret_text value, const moment& sent, std::int64_t life_s, std::int64_t refresh_in_s = 0);

// Maximum accepted lifetime in seconds.
inline constexpr std::int64_t longest_life_s = 2'147'483'647;

// Tells whether a text has control characters: in a token they would end its header and begin another.
bool has_control_character(std::string_view text);

// Return when to renew a token with a lifetime of `life_s` seconds, and how long to use it; both in seconds from its issue.
// Renewal: refresh_in if 0 < refresh_in <= life; otherwise at half the life from 7200 s on, five minutes before the end above 600
// s, else at half.  Usable: until min(60, life / 10) before the end. 3599 -> renew at 3299, usable until 3539.
std::int64_t renewal_after_s(std::int64_t life_s, std::int64_t refresh_in_s);
std::int64_t usable_for_s(std::int64_t life_s);

}  // namespace gputide::auth
