// What gputided has to say: failures and news on stderr, one line each.  Data never goes this way.
#pragma once

#include "gputide/gputide.hpp"

#include <string>

namespace gputided {

void log_line(const std::string& text);  // line ends and control characters inside become spaces

class line_writer;

// From now on lines go through this writer, which lives until null is given: nobody waits for who reads the log.
void log_through(line_writer* writer);

// While it lives, the library's own lines stand in the log: a stream that ended, a cluster's texts that could not be read.
class library_log {
  public:
    library_log();
    ~library_log();
    library_log(const library_log&) = delete;
    library_log& operator=(const library_log&) = delete;
};

// "E_AUTH: trigger 0 (prometheus): ...": the status, the place, the message with its remedy.
std::string failure_text(const gputide::failure& failure);

}  // namespace gputided
