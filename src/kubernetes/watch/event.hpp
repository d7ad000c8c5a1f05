// One line of a watch: {"type":"MODIFIED","object":{...}}.  Pure.
#pragma once

#include "base/result.hpp"
#include "kubernetes/watch/item.hpp"

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gputide::kubernetes {

// added also for what a watch begins with; bookmark: nothing but a newer version; error: the object is a Status, and the server
// closes the stream.
enum class change { added, modified, deleted, bookmark, error };

struct watch_event {
    kubernetes::change change = change::error;
    std::string resource_version;  // of the object; "" of an error
    std::int64_t code = 0;         // of an error: 410 says that the version is too old
    std::string message;           // of an error, the server's own words
};

// A line whose object cannot be read.
struct unreadable_event {
    kubernetes::change change = change::added;  // added, modified or deleted
    unreadable_object object;                   // with its name
};

// Calls `use` with the event and its object, which lives as long as the call, or returns what is known of an object that cannot be
// read.  is_cut: the line is the beginning of one that is too long.  Errors, which quote nothing of the object: class not_json for
// a line that cannot be read and names no object, class shape for another structure.
result<std::optional<unreadable_event>> read_event(
    const std::string& line, bool is_cut, const std::function<void(const watch_event&, simdjson::dom::object)>& use);

}  // namespace gputide::kubernetes
