// What libcurl's error codes mean here.  The sentences name the peer and the system's own word; libcurl's texts are used
// for TLS and names alone, where they hold no part of a request.
#include "base/redact.hpp"
#include "http/transfer.hpp"

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
        default:
            return fault::other;
    }
}

// Under TLS 1.3 a server refuses a client certificate after the handshake, when libcurl is already reading.
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

std::string sentence(fault kind, CURLcode code, CURL* handle, const failure_site& site) {
    switch (kind) {
        case fault::resolve:
            return "the name cannot be resolved (" + curls_own(code, site.curl_text) + ")";
        case fault::connect:
            return "cannot connect to " + site.peer + system_reason(handle);
        case fault::timeout:
            if (connected(handle)) return "timed out waiting for " + site.peer;
            return "timed out trying to connect to " + site.peer + " within " +
                   std::to_string(site.connect_timeout_ms) + " ms";
        case fault::tls_verify:
            return "the certificate of " + site.peer + " is not accepted: " + curls_own(code, site.curl_text) +
                   "; expected one for " + site.expected_name + ", trusted by " + site.roots;
        case fault::tls_handshake:
            return "no TLS connection to " + site.peer + ": " + curls_own(code, site.curl_text);
        case fault::reset:
            return "the connection to " + site.peer + " was closed before the answer was complete";
        case fault::encoding:
            return "the answer of " + site.peer + " cannot be decompressed";
        case fault::url:
            return "not an http or https URL";
        default:
            return "no HTTP answer from " + site.peer + ": " + curls_own(code, {});
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
