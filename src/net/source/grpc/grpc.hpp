// The wire format of protocol buffers (protobuf.dev, "Encoding"), as far as external scalers and the kubelet use it: varints,
// 64-bit numbers and length-delimited fields.  Pure; never reads beyond the given bytes and copies nothing.
#pragma once

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::source::grpc {

enum class wire_type : std::uint8_t { varint = 0, bits64 = 1, bytes = 2, bits32 = 5 };

struct wire_field {
    std::uint32_t number = 0;
    wire_type type = wire_type::varint;
    std::uint64_t integer = 0;  // varint, bits64, bits32
    std::string_view bytes;     // a view into the message

    bool is(std::uint32_t wanted, wire_type as) const { return number == wanted && type == as; }
};

// Reads a message field by field: while (reader.next(field)) ...; afterwards is_whole() tells whether the message was valid.
class wire_reader {
  public:
    explicit wire_reader(std::string_view message) : rest_(message) {}

    bool next(wire_field& out);  // returns false at the end or at an invalid field
    bool is_whole() const { return !bad_; }

  private:
    bool take_varint(std::uint64_t& out);
    bool take_fixed(std::size_t size, std::uint64_t& out);
    bool take_bytes(std::string_view& out);
    bool read(wire_field& out);

    std::string_view rest_;
    bool bad_ = false;
};

// Appends a length-delimited field: a text or a serialized message.
void put_bytes(std::string& message, std::uint32_t number, std::string_view bytes);

// The frames of gRPC messages (grpc/grpc doc/PROTOCOL-HTTP2.md, "Length-Prefixed-Message"): single messages and streams.  Pure.

inline constexpr std::size_t prefix_bytes = 5;  // a flag for compression, and the size in four bytes, big-endian

std::string framed(std::string_view message);

// Returns an error of class protocol that may be gone at the next attempt.
error damaged(std::string what);

// Returns the message size in the prefix of a frame.  Errors: not a frame, a compressed frame, an incomplete prefix.
result<std::uint32_t> announced_bytes(std::string_view frame);

// Splits the bytes of a stream into messages, independent of how the network splits them.
class frame_cutter {
  public:
    // A report of activity has two bytes; the rest is for unknown fields.
    static constexpr std::size_t max_message_bytes = 4'096;

    // Calls `take` with each message that is complete now; the message is valid during the call.  Errors: those of
    // announced_bytes(), a message that is too large, and those of `take`.  After an error, the stream cannot be read any
    // further.
    result<void> feed(std::string_view bytes, function_ref<result<void>(std::string_view)> take);

    // Tells whether the stream ended within a message.
    bool has_rest() const { return !rest_.empty(); }

  private:
    std::string rest_;
};

// A gRPC call as an HTTP/2 request, and its response (grpc/grpc doc/PROTOCOL-HTTP2.md).  Pure.

inline constexpr std::size_t max_answer_bytes = std::size_t{1} << 20;  // per call, and per minute of a stream
inline constexpr std::int64_t unimplemented = 12;                      // a grpc-status

// The server, for messages.
struct grpc_peer {
    std::string_view name;    // "the external scaler"
    std::string_view remedy;  // for a response that is not gRPC
};
inline constexpr grpc_peer external_scaler = {"the external scaler",
                                              "scalerAddress must name the port of an external scaler"};

// Returns the request for one message, unframed.  `url` ends with the service and the method.
http::request grpc_request(std::string url, std::string_view message);
// Returns the request for a stream of messages, which the server ends at any time; sends it no deadline.
http::request grpc_stream_request(std::string url, std::string_view message, std::int64_t longest_ms);

// Checks whether a call succeeded.  Errors: the transport's, an HTTP status other than 200, not gRPC, a grpc-status other than 0.
result<void> grpc_end(const http::answer& answer, const grpc_peer& peer = external_scaler);

// Returns a view of the response's only message.  Errors: those of grpc_end(), and a message that is truncated, compressed or not
// the only one.
result<std::string_view> grpc_message(const http::answer& answer, const grpc_peer& peer = external_scaler);

// Tells whether another attempt may succeed: the server says so (grpc-status 14), or its trailers are missing. libcurl 7.88 loses
// the trailers if the connection closes directly after them.
bool is_passing(const http::answer& answer);

}  // namespace gputide::source::grpc
