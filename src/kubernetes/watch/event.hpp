// Cuts the bytes of a watch into lines, and parses a line: {"type":"MODIFIED","object":{...}}.  Pure.
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

// added: also each object that exists when a watch starts. bookmark: only a newer resourceVersion. error: the object is a Status;
// the server then closes the stream.
enum class change { added, modified, deleted, bookmark, error };

struct watch_event {
    kubernetes::change change = change::error;
    std::string resource_version;  // of the object; "" for an error
    std::int64_t code = 0;         // of an error; 410: the resourceVersion is too old
    std::string message;           // of an error: the server's message
};

// An event with an unreadable object.
struct unreadable_event {
    kubernetes::change change = change::added;  // added, modified or deleted
    unreadable_object object;                   // its name could be read
};

// Calls `use` with the event and its object, which is valid only during the call, or returns an event with an unreadable
// object.  is_cut: the line was too long and is incomplete.  Error messages quote nothing of the object.  Error classes: not_json
// for an unreadable line without an object's name, shape for a JSON object with an unexpected structure.
result<std::optional<unreadable_event>> read_event(
    const std::string& line, bool is_cut, const std::function<void(const watch_event&, simdjson::dom::object)>& use);

inline constexpr std::size_t max_line_bytes = limits::response_bytes;  // for one object, as for a page of a list

// Splits a watch into its lines, independent of how the network splits the bytes.  Each line is one JSON object.  Pure.
// Wire format: apiserver pkg/endpoints/handlers/watch.go.
class line_cutter {
  public:
    // Calls `take` with each complete line, without its line end, and skips empty lines. is_cut: the line is longer than
    // max_line_bytes and `line` is its beginning.
    void feed(std::string_view bytes, const std::function<void(const std::string& line, bool is_cut)>& take);

    // Tells whether the stream ended inside a line.
    bool has_rest() const { return !rest_.empty(); }

  private:
    void keep(std::string_view bytes);

    std::string rest_;
    bool is_cut_ = false;
};

}  // namespace gputide::kubernetes
