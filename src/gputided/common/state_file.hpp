// The state of a daemon's scalers, in one file that is replaced as a whole:
// {"gputided":1,"scalers":{"default/a":{"state":"<of the library>","replicas":4,"file":"a.yaml","under_way":<the decision being
// written>}}}
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gputided {

struct saved_scaler {
    std::string state;          // as the library saved it; the library validates it
    std::int32_t replicas = 0;  // last known size of the target
    std::string under_way;      // report of a decision with an unfinished write; "": none
    std::string file;           // the manifest that it was run from; "": unknown
};

using saved_scalers = std::map<std::string, saved_scaler>;  // by "namespace/name"

// Throws usage_error for a file in another form.
saved_scalers read_states(const std::string& path);
void write_states(const std::string& path, const saved_scalers& scalers);

}  // namespace gputided
