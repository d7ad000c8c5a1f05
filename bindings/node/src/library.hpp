// Finds, checks and opens libgputide.so.1, once per process: every environment of Node (worker_threads) uses the same one.
#ifndef GPUTIDE_NODE_LIBRARY_HPP
#define GPUTIDE_NODE_LIBRARY_HPP

#include <string>

#include "gputide/gputide.h"

namespace gputide_node {

// The C functions; nullptr until open_library has worked.
const gputide_api_table* table() noexcept;

// The file that they come from; "" until then.
std::string library_path();

// Opens the library where nobody has.
//   path      the file to open and no other; "": GPUTIDE_LIBRARY, else the bundled file, else the system's search
//   bundled   the file that came with this package; it may be absent
// Gives "" where it is open now, else the whole reason: what was wanted, each place with what is wrong there, the remedy.
std::string open_library(const std::string& path, const std::string& bundled);

}  // namespace gputide_node

#endif  // GPUTIDE_NODE_LIBRARY_HPP
