// Names of a trigger in messages.
#include "config/spec.hpp"

#include "base/format_text.hpp"

namespace gputide::config {

std::string trigger::label() const {
    std::string out = format_text("trigger {} ({}", index, type);
    if (!name.empty()) out += ", " + name;
    return out + ")";
}

}  // namespace gputide::config
