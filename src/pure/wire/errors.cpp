// One row per fault and per HTTP status: its class or status, and for faults the remedy.
#include "wire/errors.hpp"

#include "base/limits.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::http {
namespace {

struct meaning {
    fault what;
    error_class kind;
    const char* remedy;  // printed after the address and the fault
};

constexpr std::array meanings = {
    meaning{fault::url, error_class::config, "Correct the address"},
    meaning{fault::not_allowed, error_class::security, ""},  // http/message.cpp chooses one of two remedies
    meaning{fault::resolve, error_class::transient, "Check the host name, and DNS on this machine"},
    meaning{fault::connect, error_class::transient,
            "Is something listening there, and does a firewall or network policy let it through?"},
    meaning{fault::timeout, error_class::timeout, "Check that it is reachable and quick enough, or allow more time"},
    meaning{fault::deadline, error_class::timeout, "Check that it is reachable, or allow more time"},
    meaning{fault::cancelled, error_class::cancelled, ""},
    meaning{fault::reset, error_class::transient,
            "A proxy, load balancer or restart on the way may have closed it; try again"},
    meaning{
        fault::tls_verify, error_class::security,
        "If the certificate is right, name the CA that signed it (ca in the trigger's credentials, ca_file in the host "
        "program's options); if it is for another host, correct the address"},
    meaning{fault::tls_handshake, error_class::transient,
            "Check that it speaks TLS 1.2 or later and whether it wants a client certificate"},
    meaning{fault::too_large, error_class::limit, "Narrow the query"},
    meaning{fault::crowded, error_class::limit, "It is requested again at the next poll"},
    meaning{fault::no_memory, error_class::no_memory, ""},
    meaning{fault::encoding, error_class::encoding, "A proxy on the way may have damaged it"},
    meaning{fault::other, error_class::protocol,
            "Check that it is an HTTP server; one that speaks TLS needs https in the address"},
};

constexpr char proxy_remedy[] =
    "Start or correct the proxy, or put the host into no_proxy if it should be reached directly";

const meaning& meaning_of(fault kind) {
    for (const meaning& meaning : meanings) {
        if (meaning.what == kind) return meaning;
    }
    return meanings.back();
}

constexpr std::array passing = {408, 429, 500, 502, 503, 504, 529};

constexpr std::size_t excerpt_bytes = 200;
constexpr std::string_view body_field = "body";
constexpr std::int64_t longest_wait_ms = 86'400'000;  // a day; the maximum of a wait

// Tells whether the body is decoded: the transport decodes gzip and deflate.
bool is_decoded(const response& response) {
    const auto coding = response.header("content-encoding");
    if (!coding || trim(*coding).empty()) return true;
    for (const std::string_view known : {"identity", "gzip", "x-gzip", "deflate"}) {
        if (equal_ignoring_case(trim(*coding), known)) return true;
    }
    return false;
}

// Tells whether the body is HTML, usually the page of a proxy or a login: its title helps a person, its markup does not.
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
                     "content encoding {} was not requested and is not supported; only gzip and deflate are",
                     in_quotes(*response.header("content-encoding")));
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

constexpr std::int64_t longest_wish_ms = std::int64_t{365} * 24 * 3'600 * 1'000;  // maximum of a requested wait

std::optional<std::int64_t> positive(std::int64_t amount, std::int64_t unit_ms) {
    if (amount <= 0) return std::nullopt;
    return amount >= longest_wish_ms / unit_ms ? longest_wish_ms : amount * unit_ms;
}

// Parses a number of units.  Only digits are valid: "+5", "1.5" and "5s" count as a missing header.
std::optional<std::int64_t> whole(std::string_view text, std::int64_t unit_ms) {
    text = trim(text);
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    return positive(parse_int64(text).value_or(longest_wish_ms), unit_ms);
}

std::optional<std::int64_t> until_date(std::string_view text, const response& reply, std::int64_t wall_ms) {
    const auto date = parse_http_date(trim(text));
    if (!date) return std::nullopt;
    const auto sent = reply.header("Date");
    const auto sent_ms = sent ? parse_http_date(trim(*sent)) : std::nullopt;
    return positive(*date - sent_ms.value_or(wall_ms), 1);
}

}  // namespace

error fault_error(const answer& answer) {
    const meaning& means = meaning_of(answer.fault);
    error out = fail(means.kind, redact(answer.fault_text.empty() ? fault_name(answer.fault) : answer.fault_text));
    out.retryable = out.retryable || answer.fault == fault::crowded  // other responses may have ended by then
                    || answer.fault == fault::encoding;              // the next response may be complete
    // If the connection to a proxy failed, the remedy is the proxy's (http/message.hpp).
    const bool is_of_proxy = answer.fault == fault::connect && !answer.roots.empty();
    const char* const remedy = is_of_proxy ? proxy_remedy : means.remedy;
    if (*remedy != '\0') out.message.append(". ").append(remedy);
    return out;
}

bool is_redirect(std::int32_t http_status) { return http_status >= 300 && http_status <= 399; }

class_meaning meaning_of_status(std::int32_t http_status) {
    class_meaning out{status::protocol, std::ranges::find(passing, http_status) != passing.end()};
    if (http_status == 401) {
        out.status = status::auth;
    } else if (http_status == 403) {
        out.status = status::forbidden;
    } else if (http_status == 429 || http_status == 529) {
        out.status = status::throttled;
    } else if (http_status == 408 || (http_status >= 500 && http_status <= 599)) {
        out.status = status::unavailable;
    } else if (http_status >= 400 && http_status <= 499) {
        out.status = status::rejected;
    }
    return out;
}

error fail_http(error_class kind, std::int32_t http_status, std::string message) {
    const class_meaning means = meaning_of_status(http_status);
    error out = fail(kind, std::move(message));
    out.status = means.status;
    out.retryable = means.retryable;
    out.http_status = http_status;
    return out;
}

std::optional<error> unreadable(const answer& answer) {
    const response& response = answer.response;
    // The transport reports a damaged gzip body and an unknown coding alike; only the first may be temporary.
    if (answer.fault == fault::encoding && !is_decoded(response)) return foreign_coding(response);
    if (!answer.arrived()) return fault_error(answer);
    if (response.body.size() > limits::response_bytes) {
        return fail(error_class::limit,
                    "the body has more than {} bytes; aggregate in the query so that less comes back",
                    limits::response_bytes);
    }
    if (response.is_success() && !is_decoded(response)) return foreign_coding(response);
    return std::nullopt;
}

std::optional<error> tls_port_error(const response& response, std::string_view text) {
    if (!is_of_tls_port(response)) return std::nullopt;
    return fail_http(error_class::unencrypted, response.status,
                     std::string(text) + "; the port expects TLS but received plain text: use https in the address");
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

std::optional<std::int64_t> wished_delay_ms(const response& reply, std::int64_t wall_ms) {
    for (const char* name : {"retry-after-ms", "x-ms-retry-after-ms"}) {
        const auto value = reply.header(name);
        if (const auto asked = value ? whole(*value, 1) : std::nullopt) return asked;
    }
    const auto value = reply.header("Retry-After");
    if (!value) return std::nullopt;
    if (const auto asked = whole(*value, 1'000)) return asked;
    return until_date(*value, reply, wall_ms);
}

}  // namespace gputide::http
