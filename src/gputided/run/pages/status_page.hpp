// The status page itself (status.html, embedded at build time) and the headers that fence it in.
#pragma once

#include "run/pages/web.hpp"

#include <string>

namespace gputided {

// Nothing but the page's own script and style runs in it, and it talks to nobody but this server.
web_answer status_page();

// JSON for it.
web_answer data(std::string json);

}  // namespace gputided
