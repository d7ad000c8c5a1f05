// Many numbers to one, and one number to a sample, by the rules of a trigger.  Pure; shared by all sources.
#pragma once

#include "source/description.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gputide::source {

// The newest point of each series of a whole reading.
numbers numbers_of(const reading& from);

// avg, max, min, sum, count, or pNN with 0 <= NN <= 100 (p95, p99.9).
bool known_reducer(std::string_view how);

struct reduced {
    double value = 0.0;
    std::int64_t time_ms = 0;  // of the oldest point used: the value is as old as its oldest part
    std::size_t used = 0;      // finite points; 0: there is no value
    std::size_t dropped = 0;   // NaN and infinities
};

// Percentiles by nearest rank: the k-th smallest with k = ceil(NN / 100 × n), at least the first.
// p90 of {1..10} → k = 9 → 9; p50 of {1, 2, 3} → k = 2 → 2.
reduced reduce(std::span<const point> points, std::string_view how);

// How a source says that there is no number.  Whole sentences; the remedies are added here.
struct judge_texts {
    std::string empty;       // the result is empty
    std::string no_float;    // series without a number: "the value list is empty"
    std::string several;     // "prometheus query up returned multiple elements"
    std::string not_finite;  // "prometheus query returns"; the value follows
};

// One finite number, taken as it is: nothing of the texts is said then.
bool is_plain_value(const numbers& from, const reduction& rule);

// By `rule`: partial, empty, several without a reducer, not finite, else the value.  The sample's state says which.
fetched judge_numbers(const numbers& from, const reduction& rule, const judge_texts& say);

// An error as a sample without a value: state by status.
fetched judge_failure(error why);

// The same reading without its value, which is too old to count; the sample keeps its time.
fetched stale(fetched value, std::string text);

// Stale where the value is older than max_age_ms (0: no limit).  A value of unknown time, or one made of nothing, has no
// age.
fetched within_age(fetched value, std::int64_t now_ms, std::int64_t max_age_ms, std::string_view remedy);

}  // namespace gputide::source
