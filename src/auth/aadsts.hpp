// Entra's error numbers: what each means to the person who runs this, and what to do about it.
// One table; texts and classes are read from here alone.  Numbers may change (Microsoft says so), so an unknown one is
// judged by the OAuth error word and the HTTP status instead.
#pragma once

#include "auth/failure.hpp"

#include <cstdint>
#include <string_view>

namespace gputide::auth {

struct aadsts_code {
    std::int64_t number;
    failure what;
    std::string_view meaning;
    std::string_view fix;  // may be empty: nobody can do anything but wait
};

// Null: not in the table.
const aadsts_code* find_aadsts(std::int64_t number);

// 50196: the service saw a request loop.  Never repeated at once: the repeat is the fault.
inline constexpr std::int64_t aadsts_request_loop = 50196;

}  // namespace gputide::auth
