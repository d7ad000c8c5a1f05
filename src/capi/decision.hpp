// gputide_decision ↔ decide/decision.hpp.  A host gets a decision from each tick and passes it back after it has written the
// size.
#pragma once

#include "base/result.hpp"
#include "decide/decision.hpp"
#include "gputide/gputide.h"

namespace gputide::capi {

// Writes the members that fit in the caller's struct.
void write_decision(const decide::decision& decision, gputide_decision* out);

result<decide::decision> from_c(const gputide_decision& given);

}  // namespace gputide::capi
