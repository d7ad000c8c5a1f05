// What a daemon's scalers remember, in one file that is replaced whole:
// {"gputided":1,"scalers":{"default/a":{"state":"<of the library>","replicas":4,"file":"a.yaml","under_way":<the decision being
// written>}}}
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gputided {

struct saved_scaler {
    std::string state;          // what the library saved; it judges that itself
    std::int32_t replicas = 0;  // last known size of the target
    std::string under_way;      // report of a decision whose write had begun and of which nothing is known; "": none
    std::string file;           // the manifest that it was run from; "": nobody wrote that down
};

using saved_scalers = std::map<std::string, saved_scaler>;  // by "namespace/name"

// Throws usage_error for a file that is not of this form.
saved_scalers read_states(const std::string& path);
void write_states(const std::string& path, const saved_scalers& scalers);

}  // namespace gputided
