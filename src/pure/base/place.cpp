#include "base/place.hpp"

namespace gputide {

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

}  // namespace gputide
