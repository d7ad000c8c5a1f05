// Reduces numbers to one sample by the rules of a trigger.  Pure; shared by all sources.
#pragma once

#include "source/description.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::source {

// A source's messages for a result without one valid number.  Complete sentences; judge_numbers() appends the remedies.
struct judge_texts {
    std::string empty;       // the result is empty
    std::string no_float;    // series without a number: "the value list is empty"
    std::string several;     // "prometheus query up returned multiple elements"
    std::string not_finite;  // "prometheus query returns"; the value follows
};

// Tells whether there is exactly one number, finite, which is used unchanged; no message is needed then.
bool is_plain_value(const numbers& numbers, const reduction& rule);

// Returns the value that `rule` makes of the numbers, or the reason in the sample's state: partial, empty, ambiguous (several
// without a reducer) or not finite.
fetched judge_numbers(const numbers& numbers, const reduction& rule, const judge_texts& say);

// Returns a sample without a value for an error.  The error's status determines the sample's state.
fetched judge_failure(error why);

// Returns the reading without its value, which is too old.  The sample keeps its time.
fetched stale(fetched value, std::string text);

// Returns stale() if the value is older than max_age_ms (0: no limit).  A value without a time is never stale.
fetched within_age(fetched value, std::int64_t now_ms, std::int64_t max_age_ms, std::string_view remedy);

}  // namespace gputide::source
