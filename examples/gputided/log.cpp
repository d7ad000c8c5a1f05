#include "log.hpp"

#include <algorithm>
#include <iostream>

namespace gputided {

void log_line(const std::string& text) {
    std::string line = "gputided: " + text;
    std::replace_if(
        line.begin(), line.end(), [](char c) { return (c >= 0 && c < ' ') || c == 127; }, ' ');
    std::cerr << line + "\n" << std::flush;
}

std::string said(const gputide::failure& failed) {
    return std::string(gputide_status_name(failed.status())) + ": " + failed.what();
}

}  // namespace gputided
