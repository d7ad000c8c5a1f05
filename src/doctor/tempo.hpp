// How often new numbers come, from a series' recent past: how far apart its points are, and how far apart its changes.  An
// exporter that collects every 30 s and is scraped every 15 s repeats each number once.  Pure.
#pragma once

#include "source/source.hpp"

#include <cstdint>
#include <vector>

namespace gputide::doctor {

struct tempo {
    std::int64_t scrape_ms = 0;  // median distance of points; 0: too few to tell
    std::int64_t renew_ms = 0;   // median distance of changes of the liveliest series; 0: too few changes to tell
    std::size_t points = 0;      // of all series
};

tempo measure(const std::vector<source::series>& past);

// Numbers are repeated: they change half as often as they are scraped, or less, and not every few seconds.
bool repeats(const tempo& of);

// All points of all series are this one number, over a minute or more.
bool always(const std::vector<source::series>& past, double value);

}  // namespace gputide::doctor
