// Collects the response to one request and reports the result.
#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "http/message.hpp"
#include "http/transfer/transfer.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace gputide::http {

namespace {

enum class coding { none, packed, unknown };

// The response headers that describe its body, looked up once.
coding coding_of(const response& answer) {
    const std::string_view name = trim(answer.header("content-encoding").value_or(""));
    if (name.empty() || equal_ignoring_case(name, "identity")) return coding::none;
    for (const char* known : {"gzip", "x-gzip", "deflate"}) {
        if (equal_ignoring_case(name, known)) return coding::packed;
    }
    return coding::unknown;
}

constexpr long login_wanted = 407;

std::string login_text(const std::string& proxy) {
    return format_text("the proxy {} requires a user name and password (HTTP 407)", proxy);
}

answer proxy_answer(std::string text, std::string proxy) {
    answer out(fault::connect, std::move(text));
    out.roots = std::move(proxy);
    return out;
}

// Names for the message about a failed transfer; no secret.
struct failure_site {
    std::string peer;            // host:port, or the path of a Unix socket
    std::string proxy;           // "127.0.0.1:3128 (http_proxy)"; "": none is used
    std::string expected_name;   // the name expected in its certificate
    std::string roots;           // description of the trusted roots
    std::string_view curl_text;  // libcurl's own message
    std::int64_t connect_timeout_ms = 0;
    bool is_http2 = false;
};

// Maps libcurl's error codes.  Messages name the server and the system's own text. libcurl's texts are used only for TLS and
// names, where they contain no part of a request.

fault fault_of(CURLcode code) {
    switch (code) {
        case CURLE_URL_MALFORMAT:
            return fault::url;
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_RESOLVE_PROXY:
            return fault::resolve;
        case CURLE_COULDNT_CONNECT:
            return fault::connect;
        case CURLE_OPERATION_TIMEDOUT:
            return fault::timeout;
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_CACERT_BADFILE:
            return fault::tls_verify;
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
            return fault::tls_handshake;
        case CURLE_GOT_NOTHING:
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
        case CURLE_PARTIAL_FILE:
        case CURLE_HTTP2:
        case CURLE_HTTP2_STREAM:
            return fault::reset;
        case CURLE_BAD_CONTENT_ENCODING:
            return fault::encoding;
        case CURLE_OUT_OF_MEMORY:
            return fault::no_memory;
        default:
            return fault::other;
    }
}

// Under TLS 1.3 a server rejects a client certificate after the handshake, when libcurl is already reading.
bool tells_of_an_alert(std::string_view text) { return text.find(" alert ") != std::string_view::npos; }

std::string system_reason(CURL* handle) {
    long number = 0;
    curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &number);
    return number == 0 ? "" : ": " + std::generic_category().message(static_cast<int>(number));
}

bool connected(CURL* handle) {
    curl_off_t took_us = 0;
    curl_easy_getinfo(handle, CURLINFO_PRETRANSFER_TIME_T, &took_us);
    return took_us > 0;
}

std::string curls_own(CURLcode code, std::string_view text) {
    return redact(text.empty() ? curl_easy_strerror(code) : text);
}

// Tells whether the port may expect TLS: most TLS servers close a plain-text connection without a response.
bool may_speak_tls(CURL* handle) {
    const char* scheme = nullptr;
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_SCHEME, &scheme);
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status == 0 && scheme != nullptr && equal_ignoring_case(scheme, "http");
}

// Returns the problem of the proxy itself, or "" if the proxy is not at fault.
std::string proxy_sentence(CURLcode code, CURL* handle, const failure_site& site) {
    if (site.proxy.empty()) return {};
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_HTTP_CONNECTCODE, &status);
    if (status == login_wanted) return login_text(site.proxy);
    if (status >= 300)
        return format_text("the proxy {} rejects a connection to {} (CONNECT: HTTP {})", site.proxy, site.peer, status);
    if (code == CURLE_COULDNT_RESOLVE_PROXY)
        return format_text("the name of the proxy {} cannot be resolved", site.proxy);
    if (code != CURLE_COULDNT_CONNECT) return {};
    return format_text("cannot connect to the proxy {} on the way to {}{}", site.proxy, site.peer,
                       system_reason(handle));
}

std::string sentence(fault kind, CURLcode code, CURL* handle, const failure_site& site) {
    switch (kind) {
        case fault::resolve:
            return format_text("the name cannot be resolved ({})", curls_own(code, site.curl_text));
        case fault::connect:
            return format_text("cannot connect to {}{}", site.peer, system_reason(handle));
        case fault::timeout:
            if (connected(handle)) return "timed out waiting for " + site.peer;
            return format_text("timed out trying to connect to {} within {} ms", site.peer, site.connect_timeout_ms);
        case fault::tls_verify:
            return format_text("the certificate of {} is not accepted: {}; expected one for {}, trusted by {}",
                               site.peer, curls_own(code, site.curl_text), site.expected_name, site.roots);
        case fault::tls_handshake:
            return format_text("no TLS connection to {}: {}", site.peer, curls_own(code, site.curl_text));
        case fault::reset:
            return format_text("the connection to {} was closed before the answer {}", site.peer,
                               !may_speak_tls(handle) ? "was complete"
                               : site.is_http2        ? "arrived; the port may require TLS, or not support HTTP/2"
                                               : "arrived; if the port requires TLS, write https in the address");
        case fault::encoding:
            return format_text("the response of {} cannot be decompressed: it is damaged or truncated", site.peer);
        case fault::no_memory:
            return "no memory";
        case fault::url:
            return "not an http or https URL";
        default:
            return format_text("no HTTP answer from {}: {}", site.peer, curls_own(code, {}));
    }
}

answer failed_transfer(CURLcode code, CURL* handle, const failure_site& site) {
    if (std::string why = proxy_sentence(code, handle, site); !why.empty())
        return proxy_answer(std::move(why), site.proxy);
    answer out;
    out.roots = site.proxy;
    out.fault = fault_of(code);
    if (out.fault == fault::reset && tells_of_an_alert(site.curl_text)) out.fault = fault::tls_handshake;
    out.fault_text = sentence(out.fault, code, handle, site);
    if (!site.proxy.empty()) out.fault_text += ", through the proxy " + site.proxy;
    if (out.fault == fault::tls_verify) out.roots = site.roots;
    return out;
}

}  // namespace

bool transfer::streams() const {
    if (!request_->stream) return false;
    long status = 0;
    curl_easy_getinfo(easy_.handle.get(), CURLINFO_RESPONSE_CODE, &status);
    return status == 200;
}

bool transfer::take_body(std::string_view bytes) {
    if (!std::exchange(is_coding_known_, true)) {
        const coding how = coding_of(response_);
        is_undecodable_ = how == coding::unknown;
        if (how == coding::packed) packed_.emplace();
    }
    if (is_undecodable_) return false;
    if (!packed_) return keep_body(bytes);
    if (packed_->take(bytes, [this](std::string_view piece) { return keep_body(piece); })) return true;
    is_undecodable_ = !too_large_ && !crowded_;
    return false;
}

bool transfer::keep_body(std::string_view bytes) {
    if (streams()) {
        (*request_->stream)(bytes);
        return true;
    }
    too_large_ = too_large_ || bytes.size() > request_->max_bytes - response_.body.size();
    if (too_large_) return false;
    crowded_ = crowded_ || !share_.grow(response_.body.size() + bytes.size());
    if (!crowded_) response_.body.append(bytes);
    return !crowded_;
}

// Takes a header line.  Each status line starts a new response: the previous one was a 1xx.
bool transfer::take_header(std::string_view line) {
    header_bytes_ += line.size();
    too_large_ = too_large_ || header_bytes_ > limits::header_bytes;
    if (too_large_) return false;
    const std::size_t colon = line.find(':');
    if (line.substr(0, 5) == "HTTP/") {
        response_.headers.clear();
    } else if (colon != std::string_view::npos && colon > 0) {
        response_.headers.push_back(
            {std::string(trim(line.substr(0, colon))), std::string(trim(line.substr(colon + 1)))});
    }
    return true;
}

// Calls `take` and returns the piece's size, or 0 for a failure.  No exception may pass through libcurl.
template <class Take>
std::size_t transfer::taken(std::string_view piece, Take take) noexcept {
    try {
        if (take(piece)) return piece.size();
    } catch (const std::bad_alloc&) {
        lacks_memory_ = true;
    }
    return piece.size() + 1;
}

std::size_t transfer::on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
    auto& here = *static_cast<transfer*>(self);
    return here.taken({bytes, size * count}, [&here](std::string_view piece) { return here.take_body(piece); });
}

std::size_t transfer::on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
    auto& here = *static_cast<transfer*>(self);
    return here.taken({bytes, size * count}, [&here](std::string_view line) { return here.take_header(line); });
}

// Limits the bytes received: a large compressed body may decompress to nothing.
int transfer::on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t) {
    auto& here = *static_cast<transfer*>(self);
    if (here.streams()) return 0;
    here.too_large_ =
        here.too_large_ || static_cast<std::size_t>(std::max<curl_off_t>(0, received)) > here.request_->max_bytes;
    return here.too_large_ ? 1 : 0;
}

answer transfer::without_memory() noexcept {
    answer out;
    out.fault = fault::no_memory;  // the fault's name is its text: a longer text would need memory
    return out;
}

// Returns the PEM texts; libcurl lists each certificate as "name:value" lines.
std::vector<std::string> transfer::certificates() const {
    static constexpr std::string_view mark = "Cert:";
    std::vector<std::string> out;
    curl_certinfo* chain = nullptr;
    if (curl_easy_getinfo(handle(), CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == nullptr) return out;
    for (int i = 0; i < chain->num_of_certs; ++i) {
        for (const curl_slist* line = chain->certinfo[i]; line != nullptr; line = line->next) {
            const std::string_view text = line->data;
            if (text.substr(0, mark.size()) == mark) out.emplace_back(text.substr(mark.size()));
        }
    }
    return out;
}

answer transfer::out_of_time(time_limit which) const noexcept {
    answer out;
    try {
        if (which == time_limit::deadline) {
            out.fault_text = "the deadline passed before the response arrived";
        } else {
            out.fault_text = format_text("timed out after {} ms", request_->attempt_timeout_ms);
        }
    } catch (const std::bad_alloc&) {  // the fault alone is sufficient
    }
    out.fault = which == time_limit::deadline ? fault::deadline : fault::timeout;
    return out;
}

answer transfer::conclude(CURLcode code, const trust_defaults& trust) noexcept {
    if (lacks_memory_) return without_memory();
    try {
        return concluded(code, trust);
    } catch (const std::bad_alloc&) {
        return without_memory();
    }
}

answer transfer::concluded(CURLcode code, const trust_defaults& trust) {
    if (code == CURLE_OK && packed_ && !packed_->is_whole()) is_undecodable_ = true;
    if (is_undecodable_) code = CURLE_BAD_CONTENT_ENCODING;
    const std::optional<chosen_proxy> chosen = proxy_of(*request_, url_);
    const std::string proxy = chosen ? proxy_text(*chosen) : std::string();
    if (code == CURLE_OK) {
        long status = 0;
        curl_easy_getinfo(handle(), CURLINFO_RESPONSE_CODE, &status);
        response_.status = static_cast<std::int32_t>(status);
        answer out;
        out.roots = proxy;
        if (!proxy.empty() && status == login_wanted) return proxy_answer(login_text(proxy), proxy);
        out.response = std::move(response_);
        if (request_->wants_certificates) out.certificates = certificates();
        return out;
    }
    if (too_large_ || code == CURLE_FILESIZE_EXCEEDED) {
        return {fault::too_large,
                header_bytes_ > limits::header_bytes
                    ? format_text("the answer's headers are larger than {} bytes", limits::header_bytes)
                    : format_text("the response is larger than {} bytes", request_->max_bytes)};
    }
    if (crowded_) {
        return {fault::crowded,
                format_text("it was dropped, because the responses in progress in this process already have {} MiB, or "
                            "those of this server {} MiB",
                            limits::bodies_bytes >> 20, limits::bodies_of_endpoint_bytes >> 20)};
    }
    const auto to = endpoint_of(*request_, url_).value_or(endpoint{});
    failure_site site;
    site.peer = request_->unix_socket.empty() ? host_and_port(to.host, to.port) : request_->unix_socket;
    site.expected_name = request_->tls && !request_->tls->server_name.empty() ? request_->tls->server_name : url_.host;
    site.roots = roots_in_words(request_->tls.get(), trust);
    site.proxy = proxy;
    site.curl_text = error_text_.data();
    site.connect_timeout_ms = request_->connect_timeout_ms;
    site.is_http2 = request_->is_http2;
    answer out = failed_transfer(code, handle(), site);
    if (out.fault == fault::encoding) out.response.headers = std::move(response_.headers);  // they name the coding
    return out;
}

}  // namespace gputide::http
