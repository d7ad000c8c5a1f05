// Names of a trigger in messages.
#include "manifest/spec.hpp"

#include "base/format_text.hpp"

namespace gputide::manifest {

std::string trigger::label() const {
    std::string out = format_text("trigger {} ({}", index, type);
    if (!name.empty()) out += ", " + name;
    return out + ")";
}

}  // namespace gputide::manifest
