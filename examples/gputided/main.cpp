// gputided: an example host of libgputide.  Data on stdout, logs on stderr, and an exit code that a script can use.
#include "command_line.hpp"
#include "log.hpp"

#include <cstdio>
#include <exception>

namespace gputided {
namespace {

// What a command that could not start means to a shell: a wrong manifest or setting is the caller's, the rest a source's.
int exit_code_of(const gputide::failure& failed) {
    switch (failed.status()) {
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
        log_line(said(failed));
        return exit_code_of(failed);
    } catch (const usage_error& wrong) {
        log_line(wrong.what());
        return bad_input;
    }
}

}  // namespace
}  // namespace gputided

int main(int argc, char** argv) {
    try {
        int exit_status = gputided::done;
        const auto chosen = gputided::read_command_line(argc, argv, exit_status);
        return chosen ? gputided::guarded(*chosen) : exit_status;
    } catch (const std::exception& thrown) {
        std::fprintf(stderr, "gputided: %s\n", thrown.what());
        return gputided::source_failed;
    }
}
