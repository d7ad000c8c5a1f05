// The functions of libgputide.so.1, which bindings/native opens: once per process, and every environment of Node (worker_threads)
// uses the same one.
#ifndef GPUTIDE_NODE_LIBRARY_HPP
#define GPUTIDE_NODE_LIBRARY_HPP

#include "library.h"

namespace gputide_node {

// nullptr until some environment has opened the library.
inline const gputide_api_table* table() noexcept { return __atomic_load_n(&gputide_table, __ATOMIC_ACQUIRE); }

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_LIBRARY_HPP
