// One scaler of the daemon: its handle, what it last knew of its target, and one tick of it.
#pragma once

#include "exposition.hpp"
#include "gputide/gputide.hpp"
#include "target.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace gputided {

struct hosted {
    std::string name;  // "namespace/name"
    gputide::scaler scaler;
    target_size size;
    std::int64_t next_due_ms = 0;
    std::string under_way;  // as saved_scaler.under_way
    scaler_numbers numbers;
    std::map<std::string, std::string> told;  // by metric: what the log has of its failure already
};

// What a tick works with.
struct surroundings {
    const target& to;
    std::int32_t timeout_ms;  // for the tokens and queries of one tick
    const gputide::cancel& stop;
    std::function<void()> save;  // keep all states now
};

// Observe, fetch, decide, print the decision, write it and tell the scaler how that went.  Failures are logged and counted;
// the scaler comes again at next_due_ms.
void tick(hosted& one, const surroundings& with);

}  // namespace gputided
