// Turns a transport fault, a content coding or an HTTP status into an error that says what to do.
#include "http/answer_error.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "http/failure.hpp"
#include "http/retry.hpp"

namespace gputide::http {
namespace {

constexpr std::size_t excerpt_bytes = 200;
constexpr std::string_view body_field = "body";
constexpr std::int64_t longest_wait_ms = 86'400'000;  // a day; a longer wait is read as this

// gzip and deflate are undone by the transport.
bool is_decoded(const response& response) {
    const auto coding = response.header("content-encoding");
    if (!coding || trim(*coding).empty()) return true;
    for (const std::string_view known : {"identity", "gzip", "x-gzip", "deflate"}) {
        if (equal_ignoring_case(trim(*coding), known)) return true;
    }
    return false;
}

// Usually the page of a proxy or a login: its title helps a person, its markup does not.
bool is_html(std::string_view body) {
    const std::string_view start = trim(body.substr(0, 1'024));
    return starts_with_ignoring_case(start, "<!doctype html") || starts_with_ignoring_case(start, "<html");
}

std::string html_in_words(std::string_view body) {
    const std::string start = lower(body.substr(0, 8'192));
    const std::size_t open = start.find("<title");
    const std::size_t begin = open == std::string::npos ? open : start.find('>', open);
    const std::size_t end = begin == std::string::npos ? begin : start.find("</title", begin);
    if (end == std::string::npos) return "an HTML page";
    const std::string_view title = trim(body.substr(begin + 1, end - begin - 1));
    if (title.empty()) return "an HTML page";
    return "an HTML page with the title " + in_quotes(redact(title), excerpt_bytes);
}

error foreign_coding(const response& response) {
    error out = fail(error_class::encoding,
                     format_text("content encoding {} was not asked for and cannot be read; only gzip and deflate can",
                                 in_quotes(*response.header("content-encoding"))));
    out.http_status = response.status;
    return out;
}

bool is_of_tls_port(const response& response) {
    if (response.status != 400) return false;
    const std::string start = lower(std::string_view(response.body).substr(0, 2'048));
    for (const std::string_view words :
         {"client sent an http request to an https server",      // Go, net/http/server.go
          "the plain http request was sent to https port",       // nginx, ngx_http_special_response.c
          "speaking plain http to an ssl-enabled server port"})  // Apache, mod_ssl's ssl_engine_kernel.c
    {
        if (start.find(words) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

std::optional<error> unreadable(const answer& answer) {
    const response& response = answer.response;
    // The transport reports a broken gzip and an unknown coding alike; only the first may pass.
    if (answer.fault == fault::encoding && !is_decoded(response)) return foreign_coding(response);
    if (!answer.arrived()) return fault_error(answer);
    if (response.body.size() > limits::response_bytes) {
        return fail(error_class::limit,
                    format_text("the body has more than {} bytes; aggregate in the query so that less comes back",
                                limits::response_bytes));
    }
    const bool success = response.status >= 200 && response.status <= 299;
    if (success && !is_decoded(response)) return foreign_coding(response);
    return std::nullopt;
}

std::optional<error> tls_port_error(const response& response, std::string_view text) {
    if (!is_of_tls_port(response)) return std::nullopt;
    return fail_http(error_class::unencrypted, response.status,
                     std::string(text) + "; the port speaks TLS and was asked in plain text: use https in the address");
}

error status_error(const response& response, std::string text) {
    if (auto why = tls_port_error(response, text)) return *std::move(why);
    const bool redirected = is_redirect(response.status);
    if (redirected) text += ", a redirect, which is not followed; give the final address";
    error out = fail_http(redirected ? error_class::redirect : error_class::http, response.status, std::move(text));
    note_retry_after(out, response);
    return out;
}

std::string excerpt(std::string_view body) {
    if (is_html(body)) return html_in_words(body);
    const std::string_view start = cut_utf8(trim(body), excerpt_bytes);
    if (!valid_utf8(start)) return {};
    for (const char c : start) {
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r') return {};
    }
    return redact(start);
}

void note_body(error& failure, const response& response) {
    std::string words = excerpt(response.body);
    if (!words.empty()) failure.fields.emplace_back(body_field, std::move(words));
}

std::string_view noted_body(const error& failure) {
    for (const auto& [name, text] : failure.fields) {
        if (name == body_field) return text;
    }
    return {};
}

void note_retry_after(error& failure, const response& response) {
    const auto delay = wished_delay_ms(response, 0);
    if (delay) failure.retry_after_ms = std::min(*delay, longest_wait_ms);
}

}  // namespace gputide::http
