// Entra's error numbers: what each means to an operator, and what to do.
// One table; texts and classes come from it only.  Microsoft may change the numbers, so an unknown one is classified by
// the OAuth error code and the HTTP status.
#pragma once

#include "base/error_class.hpp"

#include <cstdint>
#include <string_view>

namespace gputide::auth {

struct aadsts_code {
    std::int64_t number;
    error_class kind;
    std::string_view meaning;
    std::string_view fix;  // may be empty: waiting is the only remedy
};

// Returns null if the number is not in the table.
const aadsts_code* find_aadsts(std::int64_t number);

}  // namespace gputide::auth
