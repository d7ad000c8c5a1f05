// DNS rebinding: a web page elsewhere has its own name point here and reads the pages from the visitor's browser.  So they answer
// to names that are known to be this machine's.
#pragma once

#include <string>
#include <vector>

namespace gputided {

// An address, "localhost", the machine's own name, one of `allowed`, or "" where nothing was named.
bool is_own_name(const std::string& host, const std::vector<std::string>& allowed);

}  // namespace gputided
