// Sends the requests of several sources in parallel and collects the results.
#pragma once

#include "source/source.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace gputide::source {

struct source_poll {
    std::shared_ptr<metric_source> source;
    source::poll poll;
};

struct polled {
    fetched outcome;
    std::int64_t took_ms = 0;
};

// Polls all sources in parallel.  The rounds of one source are sequential; different sources do not wait for each other.  `done`
// gets the results in the order of `polls`; it runs on the loop, never inside this call, nor after cancel().  The sources are
// kept alive.  Every request ends by deadline_ms (steady clock).  Must be called on the loop's thread.
std::shared_ptr<http::exchange> send_polls(http::loop& loop, std::vector<source_poll> polls, std::int64_t deadline_ms,
                                           callback<void(std::vector<polled>)> done);

// Returns the reading of a poll with a range, or the poll's error.
result<reading> reading_of(fetched outcome);

}  // namespace gputide::source
