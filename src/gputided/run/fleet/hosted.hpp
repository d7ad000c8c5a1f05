// One scaler of gputided run: what is remembered of it between two events.
#pragma once

#include "run/commands/target_access.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace gputided {

struct hosted {
    target_name name;
    std::string file;
    std::size_t fingerprint = 0;  // of what its manifest was made from
    target_size size;
    std::string under_way;         // as saved_scaler.under_way
    std::string state;             // as the library saved it last
    bool is_due = false;           // the runtime waits for its size
    bool is_busy = false;          // a command of it is under way
    std::int64_t asked_at_ms = 0;  // steady: when the runtime got its size
    std::int64_t patience_ms = 0;  // steady: until then the runtime must have said something; 0: it waits for us
    std::map<std::string, bool> empty_as_zero;  // by metric, as the log has it
};

}  // namespace gputided
