// Entra's error numbers: what each means to the person who runs this, and what to do about it.
// One table; texts and classes are read from here alone.  Numbers may change (Microsoft says so), so an unknown one is
// judged by the OAuth error word and the HTTP status instead.
#pragma once

#include "base/error_class.hpp"

#include <cstdint>
#include <string_view>

namespace gputide::auth {

struct aadsts_code {
    std::int64_t number;
    error_class kind;
    std::string_view meaning;
    std::string_view fix;  // may be empty: nobody can do anything but wait
};

// Null: not in the table.
const aadsts_code* find_aadsts(std::int64_t number);

}  // namespace gputide::auth
