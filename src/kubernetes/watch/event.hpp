// The bytes of a watch, cut into lines, and one line: {"type":"MODIFIED","object":{...}}.  Pure.
#pragma once

#include "base/limits.hpp"
#include "base/result.hpp"
#include "kubernetes/watch/list.hpp"

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

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

// A line with an object that cannot be read.
struct unreadable_event {
    kubernetes::change change = change::added;  // added, modified or deleted
    unreadable_object object;                   // with its name
};

// Calls `use` with the event and its object, which lives as long as the call, or returns what is known of an object that cannot be
// read.  is_cut: the line is the beginning of one that is too long.  Errors, which quote nothing of the object: class not_json for
// a line that cannot be read and names no object, class shape for another structure.
result<std::optional<unreadable_event>> read_event(
    const std::string& line, bool is_cut, const std::function<void(const watch_event&, simdjson::dom::object)>& use);

// The bytes of a watch, cut into its lines: one JSON object each, whatever the borders of the pieces that the network brings.
// Pure.  Wire: apiserver pkg/endpoints/handlers/watch.go.

// A line holds one object, as large as a page of a list may be.
inline constexpr std::size_t max_line_bytes = limits::response_bytes;

class line_cutter {
  public:
    // Calls `take` with each line that is complete now, without its end; empty ones are passed over.  is_cut: the line is longer than
    // max_line_bytes, and this is its beginning.
    void feed(std::string_view bytes, const std::function<void(const std::string& line, bool is_cut)>& take);

    // Returns whether the stream ended in the middle of an object.
    bool has_rest() const { return !rest_.empty(); }

  private:
    void keep(std::string_view bytes);

    std::string rest_;
    bool is_cut_ = false;
};

}  // namespace gputide::kubernetes
