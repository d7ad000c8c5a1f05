// Numbers to one sample, by the rules of a trigger.  Pure; shared by all sources.
#pragma once

#include "source/description.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::source {

// A source's messages if there is no number.  Whole sentences; the remedies are added here.
struct judge_texts {
    std::string empty;       // the result is empty
    std::string no_float;    // series without a number: "the value list is empty"
    std::string several;     // "prometheus query up returned multiple elements"
    std::string not_finite;  // "prometheus query returns"; the value follows
};

// One finite number, taken as it is: nothing of the texts is said then.
bool is_plain_value(const numbers& numbers, const reduction& rule);

// By `rule`: partial, empty, several without a reducer, not finite, else the value.  The sample's state says which.
fetched judge_numbers(const numbers& numbers, const reduction& rule, const judge_texts& say);

// An error as a sample without a value: state by status.
fetched judge_failure(error why);

// The same reading without its value, which is too old to count; the sample keeps its time.
fetched stale(fetched value, std::string text);

// Stale where the value is older than max_age_ms (0: no limit).  A value of unknown time, or one made of nothing, has no
// age.
fetched within_age(fetched value, std::int64_t now_ms, std::int64_t max_age_ms, std::string_view remedy);

}  // namespace gputide::source
