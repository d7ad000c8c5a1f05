// The wire format of protocol buffers (protobuf.dev, "Encoding") as far as external scalers and the kubelet need it: varints,
// 64-bit numbers and length-delimited fields.  Pure; reads nothing beyond the bytes that it is given and keeps no copy.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gputide::source::grpc {

enum class wire_type : std::uint8_t { varint = 0, bits64 = 1, bytes = 2, bits32 = 5 };

struct wire_field {
    std::uint32_t number = 0;
    wire_type type = wire_type::varint;
    std::uint64_t integer = 0;  // varint, bits64, bits32
    std::string_view bytes;     // of the message that is read

    bool is(std::uint32_t wanted, wire_type as) const { return number == wanted && type == as; }
};

// One message, field by field: while (reader.next(field)) ...; then is_whole() says whether it was one.
class wire_reader {
  public:
    explicit wire_reader(std::string_view message) : rest_(message) {}

    bool next(wire_field& out);  // false: the end, or not a field
    bool is_whole() const { return !bad_; }

  private:
    bool take_varint(std::uint64_t& out);
    bool take_fixed(std::size_t size, std::uint64_t& out);
    bool take_bytes(std::string_view& out);
    bool read(wire_field& out);

    std::string_view rest_;
    bool bad_ = false;
};

// A length-delimited field: a text, or a message that was made before.
void put_bytes(std::string& message, std::uint32_t number, std::string_view bytes);

// The frames in which gRPC sends messages (grpc/grpc doc/PROTOCOL-HTTP2.md, "Length-Prefixed-Message"): one message, and a stream
// of them.  Pure.

inline constexpr std::size_t prefix_bytes = 5;  // compressed or not, and the size in four bytes, the high one first

std::string framed(std::string_view message);

// An error that the peer may not repeat the next time.
error damaged(std::string what);

// The size that a frame, which begins here, says that its message has.  Errors: no frame, a compressed one, not even the prefix.
result<std::uint32_t> announced_bytes(std::string_view frame);

// The bytes of a stream, cut into its messages, whatever the borders of the pieces that the network brings.
class frame_cutter {
  public:
    // The peer reports active or not in two bytes; more is unknown fields.
    static constexpr std::size_t max_message_bytes = 4'096;

    // Calls `take` with each message that is complete now; it is valid during the call.  Errors: as announced_bytes(), a message
    // that is too large, and what `take` says: nothing more can be read from this stream.
    result<void> feed(std::string_view bytes, const std::function<result<void>(std::string_view)>& take);

    // Tells whether the stream ended within a message.
    bool has_rest() const { return !rest_.empty(); }

  private:
    std::string rest_;
};

// One gRPC call as an HTTP/2 request, and its answer (grpc/grpc doc/PROTOCOL-HTTP2.md).  Pure.

inline constexpr std::size_t max_answer_bytes = std::size_t{1} << 20;  // of a call, and of a stream in a minute
inline constexpr std::int64_t unimplemented = 12;                      // as a grpc-status

// The peer, for messages.
struct grpc_peer {
    std::string_view name;    // "the external scaler"
    std::string_view remedy;  // where the answer is not gRPC
};
inline constexpr grpc_peer external_scaler = {"the external scaler",
                                              "scalerAddress must name the port of an external scaler"};

// `url` ends with the service and the method; one message, as it is.
http::request grpc_request(std::string url, std::string_view message);
// The same for an answer of many messages, which the peer ends when it likes: it is told of no deadline.
http::request grpc_stream_request(std::string url, std::string_view message, std::int64_t longest_ms);

// Checks whether an answer ended well.  Errors: the transport's, an HTTP status other than 200, not gRPC, a grpc-status
// other than 0.
result<void> grpc_end(const http::answer& answer, const grpc_peer& peer = external_scaler);

// The one message of the answer, a view into it.  Errors: as grpc_end(), and a message that is cut, compressed or not alone.
result<std::string_view> grpc_message(const http::answer& answer, const grpc_peer& peer = external_scaler);

// Another attempt may do: the peer says so itself (grpc-status 14), or its last word is missing.  libcurl 7.88 loses that where the
// connection closes right behind it.
bool is_passing(const http::answer& answer);

}  // namespace gputide::source::grpc
