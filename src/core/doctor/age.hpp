// Step `age`: the age of the samples, and how often new ones come.  Pure.
#pragma once

#include "base/sample.hpp"
#include "doctor/step.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// The rhythm of new numbers, measured on recent points of a series: the distance of its points and of its changes.  An
// exporter that collects every 30 s and is scraped every 15 s repeats each number once.  An exporter that collects every second
// from a GPU with a constant load repeats numbers, too.  Only evenly spaced changes are evidence of the former.
enum class pace : std::int32_t {
    unknown = 0,  // not measured
    unclear = 1,  // too little changed to tell
    slow = 2,     // each number is repeated
    quick = 3,    // new ones come with each scrape, or every few seconds
};

struct tempo {
    doctor::pace pace = doctor::pace::unknown;
    std::int64_t scrape_ms = 0;   // median distance of points; 0: too few to tell
    std::int64_t renew_ms = 0;    // slow: median distance of changes; else 0
    std::int64_t watched_ms = 0;  // an exporter's page, instead of a past: for this long
};

// Measures series.  A target (labels `job` and `instance`) collects all of its series together, so a change of one counts for
// all of them.  One quick target is enough for `quick`.
tempo measure(const std::vector<source::series>& past);

// Tells whether all points of all series are this number, over a minute or more.
bool always(const std::vector<source::series>& past, double value);

struct age {
    std::string metric;  // what was looked at
    gputide::sample sample;
    std::string said;                       // the source's words where the sample is stale
    std::optional<std::int64_t> oldest_ms;  // Unix; nothing: the source tells no times
    std::int64_t now_ms = 0;
    std::int64_t max_age_ms = 0;  // gputide.io/max-sample-age; 0: no limit
    doctor::tempo tempo;
    bool by_query = false;       // several series may stand behind the answer, or none
    bool from_exporter = false;  // DCGM's: its collect interval can be named
};

step judge_age(const age& seen);

}  // namespace gputide::doctor
