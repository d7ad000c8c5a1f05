// A place for an error message: a line of a text, or a named object.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace gputide {

struct place {
    std::string file;
    std::int32_t line = 0;    // from 1; 0: the place is not in a text
    std::int32_t column = 0;  // from 1
    std::string path;         // "spec.triggers[0].metadata.threshold", or a name: "trigger 0 (prometheus)"

    bool empty() const { return file.empty() && line == 0 && path.empty(); }
    std::string text() const;  // "so.yaml:17 spec.triggers[0].metadata.threshold"; "" if empty
};

// Returns the place of an object outside any text: named("trigger 0 (prometheus)").
inline place named(std::string thing) {
    place out;
    out.path = std::move(thing);
    return out;
}

}  // namespace gputide
