// One gRPC call as an HTTP/2 request, and its answer (grpc/grpc doc/PROTOCOL-HTTP2.md).  Pure.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::source::grpc {

inline constexpr std::size_t most_answer_bytes = std::size_t{1} << 20;  // of a call, and of a stream in a minute
inline constexpr std::int64_t unimplemented = 12;                       // as a grpc-status

// Who is asked, for messages.
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

// Whether an answer ended well.  Errors: the transport's, an HTTP status other than 200, an answer that is no gRPC, a grpc-status
// other than 0.
result<void> grpc_end(const http::answer& answer, const grpc_peer& peer = external_scaler);

// The one message of the answer, a view into it.  Errors: as grpc_end(), and a message that is cut, compressed or not alone.
result<std::string_view> grpc_message(const http::answer& answer, const grpc_peer& peer = external_scaler);

// Another attempt may do: the peer says so itself (grpc-status 14), or its last word is missing.  libcurl 7.88 loses that where the
// connection closes right behind it.
bool is_passing(const http::answer& answer);

}  // namespace gputide::source::grpc
