// What a shell gets from gputided, and the error that stands for bad usage.
#pragma once

#include <stdexcept>

namespace gputided {

// Data goes to stdout, logs go to stderr, and the shell gets one of these.
enum exit_status { done = 0, finding = 1, bad_input = 2, source_failed = 3 };

// Bad usage: the text names the flag or file and the remedy.
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace gputided
