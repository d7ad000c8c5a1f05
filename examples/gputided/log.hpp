// What gputided has to say: failures and news on stderr, one line each.  Data never goes this way.
#pragma once

#include "gputide/gputide.hpp"

#include <string>

namespace gputided {

void log_line(const std::string& text);  // line ends and control characters inside become spaces

// "E_AUTH: trigger 0 (prometheus): ...": the status, the place, the message with its remedy.
std::string said(const gputide::failure& failed);

}  // namespace gputided
