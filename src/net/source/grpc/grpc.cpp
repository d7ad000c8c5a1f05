#include "source/grpc/grpc.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "wire/errors.hpp"

#include <array>
#include <optional>
#include <utility>

namespace gputide::source::grpc {
namespace {

constexpr std::uint64_t last_field = (std::uint64_t{1} << 29) - 1;
constexpr unsigned varint_bytes = 10;

void put_varint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
    out.push_back(static_cast<char>(value));
}

}  // namespace

// Reads seven bits per byte, the low bits first; the tenth byte has the last bit.
bool wire_reader::take_varint(std::uint64_t& out) {
    out = 0;
    for (unsigned i = 0; i < varint_bytes && i < rest_.size(); ++i) {
        const auto byte = static_cast<unsigned char>(rest_[i]);
        if (i == varint_bytes - 1 && byte > 1) return false;
        out |= std::uint64_t{byte & 0x7FU} << (7 * i);
        if (byte >= 0x80) continue;
        rest_.remove_prefix(i + 1);
        return true;
    }
    return false;
}

bool wire_reader::take_fixed(std::size_t size, std::uint64_t& out) {
    if (rest_.size() < size) return false;
    out = 0;
    for (std::size_t i = size; i-- > 0;) out = out << 8 | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(size);
    return true;
}

bool wire_reader::take_bytes(std::string_view& out) {
    std::uint64_t size = 0;
    if (!take_varint(size) || size > rest_.size()) return false;
    out = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return true;
}

// Reads a field.  Groups (types 3 and 4) belong to proto2 and are rejected, like the two undefined types.
bool wire_reader::read(wire_field& out) {
    std::uint64_t tag = 0;
    out = {};
    if (!take_varint(tag) || (tag >> 3) == 0 || (tag >> 3) > last_field) return false;
    out.number = static_cast<std::uint32_t>(tag >> 3);
    out.type = static_cast<wire_type>(tag & 7);
    switch (out.type) {
        case wire_type::varint:
            return take_varint(out.integer);
        case wire_type::bits64:
            return take_fixed(8, out.integer);
        case wire_type::bits32:
            return take_fixed(4, out.integer);
        case wire_type::bytes:
            return take_bytes(out.bytes);
    }
    return false;
}

bool wire_reader::next(wire_field& out) {
    if (bad_ || rest_.empty()) return false;
    bad_ = !read(out);
    return !bad_;
}

void put_bytes(std::string& message, std::uint32_t number, std::string_view bytes) {
    put_varint(message, std::uint64_t{number} << 3 | static_cast<std::uint64_t>(wire_type::bytes));
    put_varint(message, bytes.size());
    message.append(bytes);
}

std::string framed(std::string_view message) {
    std::string out(1, '\0');
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(message.size() >> shift & 0xFF));
    return out.append(message);
}

error damaged(std::string what) {
    error out = fail(error_class::protocol, std::move(what));
    out.retryable = true;
    return out;
}

result<std::uint32_t> announced_bytes(std::string_view frame) {
    if (frame.empty()) return damaged("the response has status OK but no message");
    if (frame[0] == 1) {
        return fail(error_class::encoding,
                    "the response is compressed, although the request did not accept compression; disable it in the "
                    "external scaler");
    }
    if (frame[0] != 0) return damaged("the response does not begin with a gRPC message");
    if (frame.size() < prefix_bytes) return damaged("the response ends within the five-byte prefix of its message");
    std::uint32_t out = 0;
    for (std::size_t i = 1; i < prefix_bytes; ++i) out = out << 8 | static_cast<unsigned char>(frame[i]);
    return out;
}

result<void> frame_cutter::feed(std::string_view bytes, function_ref<result<void>(std::string_view)> take) {
    rest_.append(bytes);
    std::string_view left = rest_;
    while (left.size() >= prefix_bytes) {
        const auto size = announced_bytes(left);
        if (!size) return size.failure();
        if (*size > max_message_bytes) {
            return fail(error_class::limit, "a message of the stream has {} bytes; at most {} are read", *size,
                        max_message_bytes);
        }
        if (left.size() - prefix_bytes < *size) break;
        if (auto taken = take(left.substr(prefix_bytes, *size)); !taken) return taken;
        left.remove_prefix(prefix_bytes + *size);
    }
    rest_.erase(0, rest_.size() - left.size());
    return {};
}

namespace {

struct meaning {
    const char* name;
    error_class kind;
};

// Indexed by grpc-status.
constexpr std::array<meaning, 17> meanings{{{"OK", error_class::none},
                                            {"CANCELLED", error_class::protocol},
                                            {"UNKNOWN", error_class::protocol},
                                            {"INVALID_ARGUMENT", error_class::rejected},
                                            {"DEADLINE_EXCEEDED", error_class::timeout},
                                            {"NOT_FOUND", error_class::rejected},
                                            {"ALREADY_EXISTS", error_class::protocol},
                                            {"PERMISSION_DENIED", error_class::forbidden},
                                            {"RESOURCE_EXHAUSTED", error_class::throttled},
                                            {"FAILED_PRECONDITION", error_class::protocol},
                                            {"ABORTED", error_class::transient},
                                            {"OUT_OF_RANGE", error_class::protocol},
                                            {"UNIMPLEMENTED", error_class::rejected},
                                            {"INTERNAL", error_class::protocol},
                                            {"UNAVAILABLE", error_class::transient},
                                            {"DATA_LOSS", error_class::protocol},
                                            {"UNAUTHENTICATED", error_class::auth}}};
constexpr std::int64_t unavailable = 14;

// Returns grpc-status from the trailers, or from the headers of a Trailers-Only response.
std::optional<std::int64_t> status_of(const http::response& response) {
    const auto written = response.header("grpc-status");
    const auto number = written ? parse_int64(*written) : std::nullopt;
    return number && *number >= 0 ? number : std::nullopt;
}

bool is_grpc(const http::response& response) {
    return starts_with_ignoring_case(response.header("content-type").value_or(""), "application/grpc");
}

error failure_of(const http::response& response, std::int64_t status, const grpc_peer& peer) {
    const bool known = status < static_cast<std::int64_t>(meanings.size());
    const meaning means = known ? meanings[static_cast<std::size_t>(status)] : meaning{"", error_class::protocol};
    std::string text = known ? format_text("{} returned {} (grpc-status {})", peer.name, means.name, status)
                             : format_text("{} returned the unknown grpc-status {}", peer.name, status);
    const std::string_view written = response.header("grpc-message").value_or("");
    const std::string said = http::excerpt(percent_decode(written, false).value_or(std::string(written)));
    if (!said.empty()) text += ": " + said;
    error out = fail(means.kind, std::move(text));
    if (means.kind == error_class::protocol) out.retryable = true;  // an internal error of the server
    out.service_number = status;
    out.service_code = means.name;
    return out;
}

error no_grpc(const http::response& response, const grpc_peer& peer) {
    const std::string_view type = response.header("content-type").value_or("");
    return fail(error_class::protocol, "the peer returned a response {}, which is not gRPC; {}",
                type.empty() ? std::string("without a content-type") : "with content-type " + in_quotes(type, 80),
                peer.remedy);
}

result<std::string_view> only_message(std::string_view body) {
    const auto announced = announced_bytes(body);
    if (!announced) return announced.failure();
    const std::size_t size = *announced;
    const std::size_t there = body.size() - prefix_bytes;
    if (size > there)
        return damaged(format_text("the response ends after {} of the {} bytes of its message", there, size));
    if (size < there) return damaged("the response has more than one message");
    return body.substr(prefix_bytes);
}

}  // namespace

http::request grpc_stream_request(std::string url, std::string_view message, std::int64_t longest_ms) {
    http::request out;
    out.method = "POST";
    out.url = std::move(url);
    out.is_http2 = true;
    out.set("Content-Type", "application/grpc");
    out.set("TE", "trailers");
    out.body = secret_text(framed(message));
    out.connect_timeout_ms = limits::default_http_timeout_ms;
    out.attempt_timeout_ms = longest_ms;
    out.max_bytes = max_answer_bytes + prefix_bytes;
    return out;
}

http::request grpc_request(std::string url, std::string_view message) {
    constexpr std::int64_t timeout_ms = limits::default_http_timeout_ms;
    http::request out = grpc_stream_request(std::move(url), message, timeout_ms);
    out.set("grpc-timeout", format_text("{}m", timeout_ms));
    return out;
}

result<void> grpc_end(const http::answer& answer, const grpc_peer& peer) {
    const http::response& response = answer.response;
    if (auto why = http::unreadable(answer)) return *std::move(why);
    const auto status = status_of(response);
    if (status && *status != 0 && is_grpc(response)) return failure_of(response, *status, peer);
    if (response.status != 200) {
        return http::status_error(response, format_text("{} answers HTTP {}", peer.name, response.status));
    }
    if (!is_grpc(response)) return no_grpc(response, peer);
    if (!status) return damaged("the response ended without a grpc-status");
    return {};
}

result<std::string_view> grpc_message(const http::answer& answer, const grpc_peer& peer) {
    if (auto end = grpc_end(answer, peer); !end) return end.take_failure();
    return only_message(answer.response.body);
}

bool is_passing(const http::answer& answer) {
    if (!answer.arrived() || !is_grpc(answer.response)) return false;
    return status_of(answer.response).value_or(unavailable) == unavailable;
}

}  // namespace gputide::source::grpc
