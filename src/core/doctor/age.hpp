// Step `age`: the age of the samples, and how often new ones arrive.  Pure.
#pragma once

#include "base/sample.hpp"
#include "doctor/step.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// The rate of new values of a metric, measured on its recent points: the time between points, and between changes of the value.
// An exporter that collects every 30 s and is scraped every 15 s repeats each value once.  An exporter that collects every second
// from a GPU with a constant load repeats values, too.  Only evenly spaced changes indicate the first case.
enum class pace : std::int32_t {
    unknown = 0,  // not measured
    unclear = 1,  // too few changes to tell
    slow = 2,     // values are repeated
    quick = 3,    // new values with each scrape, or every few seconds
};

struct tempo {
    doctor::pace pace = doctor::pace::unknown;
    std::int64_t scrape_ms = 0;   // median distance of points; 0: too few points
    std::int64_t renew_ms = 0;    // slow: median distance of changes; otherwise 0
    std::int64_t watched_ms = 0;  // for an exporter's page: how long it was watched
};

// Measures series.  A target (labels `job` and `instance`) collects all of its series together, so a change of one series counts
// for all of them.  One quick target is enough for `quick`.
tempo measure(const std::vector<source::series>& past);

// Tells whether all points of all series have this value, over a minute or more.
bool always(const std::vector<source::series>& past, double value);

struct age {
    gputide::sample sample;
    std::string said;                       // the source's message, if the sample is stale
    std::optional<std::int64_t> oldest_ms;  // Unix; nullopt: no timestamps
    std::int64_t now_ms = 0;
    doctor::tempo tempo;
    bool by_query = false;       // a query returned the value: it may combine several series, or be a constant
    bool from_exporter = false;  // DCGM's exporter: the fix names its collect interval
};

step judge_age(const age& seen);

}  // namespace gputide::doctor
