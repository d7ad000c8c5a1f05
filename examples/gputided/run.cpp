// gputided run: signals and the web page around a loop of ticks.
#include "commands.hpp"
#include "daemon.hpp"
#include "log.hpp"
#include "signals.hpp"
#include "web.hpp"

#include <optional>

namespace gputided {

int run(const run_options& from) {
    signals heard;
    scaling_daemon host(from, heard);
    std::optional<web_server> web;
    if (!from.listen.empty()) {
        web.emplace(from.listen, [&](const web_request& request) { return host.answer(request); });
        log_line("listening on port " + std::to_string(web->port()));
    }
    host.run();
    return done;
}

}  // namespace gputided
