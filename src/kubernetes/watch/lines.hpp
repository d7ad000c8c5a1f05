// The bytes of a watch, cut into its lines: one JSON object each, whatever the borders of the pieces that the network brings.
// Pure.  Wire: apiserver pkg/endpoints/handlers/watch.go.
#pragma once

#include "base/limits.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gputide::kubernetes {

// A line holds one object, as large as a page of a list may be.
inline constexpr std::size_t max_line_bytes = limits::response_bytes;

class line_cutter {
  public:
    // Calls `take` with each line that is complete now, without its end; empty ones are passed over.  is_cut: the line is longer than
    // max_line_bytes, and this is its beginning.
    void feed(std::string_view bytes, const std::function<void(const std::string& line, bool is_cut)>& take);

    // What a stream that ended left unfinished: an object cut in the middle.
    bool has_rest() const { return !rest_.empty(); }

  private:
    void keep(std::string_view bytes);

    std::string rest_;
    bool is_cut_ = false;
};

}  // namespace gputide::kubernetes
