// How a place and a trigger name themselves in messages.
#include "config/trigger.hpp"

namespace gputide::config {

std::string place::text() const {
    std::string out = file;
    if (line > 0) {
        if (!out.empty()) out += ':';
        out += std::to_string(line);
    }
    if (!path.empty()) {
        if (!out.empty()) out += ' ';
        out += path;
    }
    return out;
}

std::string trigger::label() const {
    std::string out = "trigger " + std::to_string(index) + " (" + type;
    if (!name.empty()) out += ", " + name;
    return out + ")";
}

}  // namespace gputide::config
