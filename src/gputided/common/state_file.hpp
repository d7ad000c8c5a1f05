// The state of a daemon's scalers, in a file that is replaced as a whole:
// {"gputided":1,"scalers":{"default/a":{"state":"<of the library>","replicas":4,"file":"a.yaml",
// "under_way":<the decision being written>}}}
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gputided {

struct saved_scaler {
    std::string state;          // saved and validated by the library
    std::int32_t replicas = 0;  // last known size of the target
    std::string under_way;      // report of a decision with an unfinished write; "": none
    std::string file;           // manifest that it was read from; "": unknown
};

using saved_scalers = std::map<std::string, saved_scaler>;  // by "namespace/name"

// Reads the states.  Throws usage_error for a file with a different format.
saved_scalers read_states(const std::string& path);
void write_states(const std::string& path, const saved_scalers& scalers);

}  // namespace gputided
