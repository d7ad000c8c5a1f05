// gputided check: what a compiler would say of a manifest.  No network.
#pragma once

#include "common/shared_options.hpp"
#include "common/subcommand.hpp"

namespace gputided {

struct check_options {
    shared_options shared;
    bool fail_on_warning = false;
    bool explains = false;
    std::string explained;  // a code; "": all of them
};

void add_check(subcommands& commands);

}  // namespace gputided
