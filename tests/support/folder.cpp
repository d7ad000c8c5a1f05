#include "support/folder.hpp"

namespace gputide::testing {

std::string file_path(const std::string& name) { return std::string(GPUTIDE_TEST_FOLDER "/") + name; }

}  // namespace gputide::testing
