// The bytes of a watch, cut into its lines: one JSON object each, whatever the borders of the pieces that the network brings.
// Pure.  Wire: apiserver pkg/endpoints/handlers/watch.go.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gputide::cluster {

// etcd takes requests up to 1.5 MiB by default, and a line holds one object; what is longer is no watch of Kubernetes'.
inline constexpr std::size_t most_line_bytes = std::size_t{8} << 20;

class line_cutter {
  public:
    // Calls `take` with each line that is complete now, without its end; empty ones are passed over.  False: a line is longer
    // than most_line_bytes, and nothing more can be read from this stream.
    bool feed(std::string_view bytes, const std::function<void(const std::string&)>& take);

    // What a stream that ended left unfinished: an object cut in the middle.
    bool has_rest() const { return !rest_.empty(); }

  private:
    std::string rest_;
};

}  // namespace gputide::cluster
