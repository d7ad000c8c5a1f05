// One allocation of a test that fails.
#pragma once

#include <functional>

namespace gputide::testing {

// Runs `what`, whose allocation of that number, from 0, finds no memory; of this thread's alone.  True: it was come to.
bool lacks_allocation(int number, const std::function<void()>& what);

}  // namespace gputide::testing
