// The HPA half's last verdict: kept where the half ran, shown where it did not.
#pragma once

#include "decide/decision.hpp"
#include "decide/state/state.hpp"

#include <cstdint>

namespace gputide::decide {

verdict verdict_of(const decision& decision) noexcept;

// Fills in what the HPA half would have said.  limited_by is the executor's where that half ran and waits for something, else the
// verdict's; where neither half ran, and where there is no verdict, it is not_due.
void show_verdict(const verdict& last, std::int64_t now_ms, decision& decision) noexcept;

}  // namespace gputide::decide
