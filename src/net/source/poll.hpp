// The driver of polls: sends the requests of several sources side by side and gathers their outcomes.
#pragma once

#include "source/source.hpp"

#include <cstdint>
#include <functional>
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

// Polls all of them at once.  The rounds of one source follow one another, those of different sources do not wait for each
// other.  `done` gets the outcomes in the order of `polls`; it runs on the loop, never inside this call, nor after cancel().
// The sources are kept alive.  deadline_ms: steady clock; each request ends by then.  On the loop's thread.
std::shared_ptr<http::exchange> send_polls(http::loop& loop, std::vector<source_poll> polls, std::int64_t deadline_ms,
                                           std::function<void(std::vector<polled>)> done);

// The reading of a poll with a range.
result<reading> reading_of(fetched outcome);

}  // namespace gputide::source
