// gputided: an example host of libgputide.  Data on stdout, logs on stderr, and an exit code that a script can use.
#include "command_line.hpp"
#include "common/exit_status.hpp"
#include "common/log.hpp"

#include <cstdio>
#include <exception>

namespace gputided {
namespace {

// What a command that could not start means to a shell: a wrong manifest or setting is the caller's, the rest a source's.
int exit_status_of(const gputide::failure& failure) {
    switch (failure.status()) {
        case GPUTIDE_E_INVALID:
        case GPUTIDE_E_AMBIGUOUS:
        case GPUTIDE_E_LIMIT:
        case GPUTIDE_E_STATE:
            return bad_input;
        default:
            return source_failed;
    }
}

int guarded(const command& chosen) {
    try {
        return chosen();
    } catch (const gputide::failure& failed) {
        log_line(failure_text(failed));
        return exit_status_of(failed);
    } catch (const usage_error& wrong) {
        log_line(wrong.what());
        return bad_input;
    }
}

}  // namespace
}  // namespace gputided

int main(int argc, char** argv) {
    try {
        int status = gputided::done;
        const auto chosen = gputided::read_command_line(argc, argv, status);
        return chosen ? gputided::guarded(*chosen) : status;
    } catch (const std::exception& thrown) {
        std::fprintf(stderr, "gputided: %s\n", thrown.what());
        return gputided::source_failed;
    }
}
