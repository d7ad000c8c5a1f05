// Step `age`: how old are the samples behind the number, and how often do new ones come?  Pure.
#pragma once

#include "base/sample.hpp"
#include "doctor/step.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// How often new numbers come, from a series' recent past: how far apart its points are, and how far apart its changes.  An
// exporter that collects every 30 s and is scraped every 15 s repeats each number once, and so does one that collects every
// second from a GPU whose load stands still: only changes that are evenly far apart are evidence of the former.  Pure.

enum class pace : std::int32_t {
    unknown = 0,  // nobody looked
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

// What one target (labels `job` and `instance`) serves is collected together, so a change of any of its series counts for
// all of them.  One quick target is enough for `quick`.
tempo measure(const std::vector<source::series>& past);

// All points of all series are this one number, over a minute or more.
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
