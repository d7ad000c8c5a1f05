#include "source/grpc/grpc.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "source/grpc/frames.hpp"
#include "wire/errors.hpp"

#include <array>
#include <optional>

namespace gputide::source::grpc {
namespace {

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

error failure_of(const http::response& response, std::int64_t status, const grpc_peer& peer) {
    const bool known = status < static_cast<std::int64_t>(meanings.size());
    const meaning means = known ? meanings[static_cast<std::size_t>(status)] : meaning{"", error_class::protocol};
    std::string text = known ? format_text("{} answers {} (grpc-status {})", peer.name, means.name, status)
                             : format_text("{} answers grpc-status {}, which gRPC does not know", peer.name, status);
    const std::string_view written = response.header("grpc-message").value_or("");
    const std::string said = http::excerpt(percent_decode(written, false).value_or(std::string(written)));
    if (!said.empty()) text += ": " + said;
    error out = fail(means.kind, std::move(text));
    if (means.kind == error_class::protocol) out.retryable = true;  // the peer's own trouble
    out.service_number = status;
    out.service_code = means.name;
    return out;
}

error no_grpc(const http::response& response, const grpc_peer& peer) {
    const std::string_view type = response.header("content-type").value_or("");
    return fail(
        error_class::protocol,
        format_text("the peer answers {}, which is no gRPC; {}",
                    type.empty() ? std::string("without a content-type") : "with " + in_quotes(type, 80), peer.remedy));
}

result<std::string_view> only_message(std::string_view body) {
    const auto announced = announced_bytes(body);
    if (!announced) return announced.failure();
    const std::size_t size = *announced;
    const std::size_t there = body.size() - prefix_bytes;
    if (size > there) return damaged(format_text("the answer ends after {} of its message's {} bytes", there, size));
    if (size < there) return damaged("the answer holds more than the one message of a unary call");
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
    out.most_bytes = most_answer_bytes + prefix_bytes;
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
    if (!status) return damaged("the answer ended without its grpc-status");
    return {};
}

result<std::string_view> grpc_message(const http::answer& answer, const grpc_peer& peer) {
    if (auto end = grpc_end(answer, peer); !end) return std::move(end).failure();
    return only_message(answer.response.body);
}

bool is_passing(const http::answer& answer) {
    if (!answer.arrived() || !is_grpc(answer.response)) return false;
    return status_of(answer.response).value_or(unavailable) == unavailable;
}

}  // namespace gputide::source::grpc
