#include "source/external/grpc.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "http/answer_error.hpp"

#include <array>
#include <optional>

namespace gputide::source::external {
namespace {

constexpr std::size_t most_message_bytes = std::size_t{1} << 20;
constexpr std::size_t prefix_bytes = 5;  // compressed or not, and the size in four bytes, the high one first

struct meaning {
    const char* name;
    error_class kind;
};

// By number, from 0.
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

// Trailers follow the headers; a failure without a message has it among the first ones.
std::optional<std::int64_t> status_of(const http::response& response) {
    const auto written = response.header("grpc-status");
    const auto number = written ? parse_int64(*written) : std::nullopt;
    return number && *number >= 0 ? number : std::nullopt;
}

bool is_grpc(const http::response& response) {
    return starts_with_ignoring_case(response.header("content-type").value_or(""), "application/grpc");
}

error failure_of(const http::response& response, std::int64_t status) {
    const bool known = status < static_cast<std::int64_t>(meanings.size());
    const meaning means = known ? meanings[static_cast<std::size_t>(status)] : meaning{"", error_class::protocol};
    std::string text =
        known ? format_text("the external scaler answers {} (grpc-status {})", means.name, status)
              : format_text("the external scaler answers grpc-status {}, which gRPC does not know", status);
    const std::string_view written = response.header("grpc-message").value_or("");
    const std::string said = http::excerpt(percent_decode(written, false).value_or(std::string(written)));
    if (!said.empty()) text += ": " + said;
    error out = fail(means.kind, std::move(text));
    if (means.kind == error_class::protocol) out.retryable = true;  // the peer's own trouble
    out.service_number = status;
    out.service_code = means.name;
    return out;
}

error no_grpc(const http::response& response) {
    const std::string_view type = response.header("content-type").value_or("");
    return fail(error_class::protocol,
                format_text("the peer answers {}, which is no gRPC; scalerAddress must name the port of an external "
                            "scaler",
                            type.empty() ? std::string("without a content-type") : "with " + in_quotes(type, 80)));
}

error damaged(std::string what) {
    error out = fail(error_class::protocol, std::move(what));
    out.retryable = true;
    return out;
}

std::uint32_t size_in(std::string_view prefix) {
    std::uint32_t out = 0;
    for (std::size_t i = 1; i < prefix_bytes; ++i) out = out << 8 | static_cast<unsigned char>(prefix[i]);
    return out;
}

result<std::string_view> only_message(std::string_view body) {
    if (body.empty()) return damaged("the answer says OK and holds no message");
    if (body[0] == 1) {
        return fail(error_class::encoding,
                    "the answer is compressed, although nobody offered to undo that; switch the external scaler's "
                    "compression off");
    }
    if (body[0] != 0) return damaged("the answer does not begin as a gRPC message does");
    if (body.size() < prefix_bytes) return damaged("the answer ends within the five bytes before its message");
    const std::uint32_t size = size_in(body);
    const std::size_t there = body.size() - prefix_bytes;
    if (size > there) return damaged(format_text("the answer ends after {} of its message's {} bytes", there, size));
    if (size < there) return damaged("the answer holds more than the one message of a unary call");
    return body.substr(prefix_bytes);
}

}  // namespace

http::request grpc_request(std::string url, std::string_view message, std::int64_t timeout_ms) {
    http::request out;
    out.method = "POST";
    out.url = std::move(url);
    out.is_http2 = true;
    out.set("Content-Type", "application/grpc");
    out.set("TE", "trailers");
    out.set("grpc-timeout", format_text("{}m", timeout_ms));
    std::string body(1, '\0');
    for (int shift = 24; shift >= 0; shift -= 8) body.push_back(static_cast<char>(message.size() >> shift & 0xFF));
    body.append(message);
    out.body = secret_text(std::move(body));
    out.connect_timeout_ms = timeout_ms;
    out.attempt_timeout_ms = timeout_ms;
    out.most_bytes = most_message_bytes + prefix_bytes;
    return out;
}

result<std::string_view> grpc_message(const http::answer& answer) {
    const http::response& response = answer.response;
    if (auto why = http::unreadable(answer)) return *std::move(why);
    const auto status = status_of(response);
    if (status && *status != 0 && is_grpc(response)) return failure_of(response, *status);
    if (response.status != 200) {
        return http::status_error(response, format_text("the external scaler answers HTTP {}", response.status),
                                  http::peers_words::left_out);
    }
    if (!is_grpc(response)) return no_grpc(response);
    if (!status) return damaged("the answer ended without its grpc-status");
    return only_message(response.body);
}

bool is_passing(const http::answer& answer) {
    if (!answer.arrived() || !is_grpc(answer.response)) return false;
    return status_of(answer.response).value_or(unavailable) == unavailable;
}

}  // namespace gputide::source::external
