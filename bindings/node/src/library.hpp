// The functions of libgputide-full.so.1, which bindings/native opens: once per process, and every environment of Node (worker_threads)
// uses the same one.
#ifndef GPUTIDE_NODE_LIBRARY_HPP
#define GPUTIDE_NODE_LIBRARY_HPP

#include "library.h"

namespace gputide_node {

// nullptr until some environment has opened the library.
inline const gputide_api_table* table() noexcept { return __atomic_load_n(&gputide_table, __ATOMIC_ACQUIRE); }

// The table of a component, of a library that is open.
template <class Table>
const Table* table_of() noexcept;
template <>
inline const gputide_api_table* table_of() noexcept {
    return table();
}
template <>
inline const gputide_plan_api_table* table_of() noexcept {
    return gputide_plan_table;
}
template <>
inline const gputide_kubernetes_api_table* table_of() noexcept {
    return gputide_kubernetes_table;
}

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_LIBRARY_HPP
