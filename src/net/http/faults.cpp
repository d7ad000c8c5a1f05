// Maps libcurl's error codes.  The messages name the peer and the system's own text; libcurl's texts are used for TLS
// and names only, where they contain no part of a request.
#include "base/format_text.hpp"
#include "base/redact.hpp"
#include "base/text.hpp"
#include "http/transfer/transfer.hpp"

#include <system_error>

namespace gputide::http {

namespace {

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

// Most TLS servers close a plain-text connection without a response.
bool may_speak_tls(CURL* handle) {
    const char* scheme = nullptr;
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_SCHEME, &scheme);
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status == 0 && scheme != nullptr && equal_ignoring_case(scheme, "http");
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
                               : site.is_http2        ? "came; that port may speak TLS, or no HTTP/2"
                                                      : "came; if that port speaks TLS, write https in the address");
        case fault::encoding:
            return format_text("the answer of {} cannot be decompressed: it is damaged, or was cut", site.peer);
        case fault::no_memory:
            return "no memory";
        case fault::url:
            return "not an http or https URL";
        default:
            return format_text("no HTTP answer from {}: {}", site.peer, curls_own(code, {}));
    }
}

}  // namespace

answer failed_transfer(CURLcode code, CURL* handle, const failure_site& site) {
    answer out;
    out.fault = fault_of(code);
    if (out.fault == fault::reset && tells_of_an_alert(site.curl_text)) out.fault = fault::tls_handshake;
    out.fault_text = sentence(out.fault, code, handle, site);
    if (out.fault == fault::tls_verify) out.roots = site.roots;
    return out;
}

}  // namespace gputide::http
