// One allocation of a test that fails.
#pragma once

#include <functional>

namespace gputide::testing {

// Runs `what`; the allocation of that number, from 0, on this thread fails.  Returns true if it was reached.
bool lacks_allocation(int number, const std::function<void()>& what);

}  // namespace gputide::testing
