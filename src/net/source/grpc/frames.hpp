// The frames in which gRPC sends messages (grpc/grpc doc/PROTOCOL-HTTP2.md, "Length-Prefixed-Message"): one message, and a stream
// of them.  Pure.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gputide::source::grpc {

inline constexpr std::size_t prefix_bytes = 5;  // compressed or not, and the size in four bytes, the high one first

std::string framed(std::string_view message);

// What the peer may do better the next time.
error damaged(std::string what);

// The size that a frame, which begins here, says that its message has.  Errors: no frame, a compressed one, not even the prefix.
result<std::uint32_t> announced_bytes(std::string_view frame);

// The bytes of a stream, cut into its messages, whatever the borders of the pieces that the network brings.
class frame_cutter {
  public:
    // The peer says active or not, in two bytes; more is fields that nobody here knows.
    static constexpr std::size_t most_message_bytes = 4'096;

    // Calls `take` with each message that is complete now; it is valid during the call.  Errors: as announced_bytes(), a message
    // that is too large, and what `take` says: nothing more can be read from this stream.
    result<void> feed(std::string_view bytes, const std::function<result<void>(std::string_view)>& take);

    // What a stream that ended left unfinished.
    bool has_rest() const { return !rest_.empty(); }

  private:
    std::string rest_;
};

}  // namespace gputide::source::grpc
