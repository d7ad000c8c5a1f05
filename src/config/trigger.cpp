// How a place and a trigger name themselves in messages.
#include "config/trigger.hpp"

namespace gputide::config {

std::string trigger::label() const {
    std::string out = "trigger " + std::to_string(index) + " (" + type;
    if (!name.empty()) out += ", " + name;
    return out + ")";
}

}  // namespace gputide::config
