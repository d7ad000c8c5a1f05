#include "http/middle/sender.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace gputide::http {
namespace {

bool same_tls(const tls_settings* a, const tls_settings* b) {
    return a == b || (a != nullptr && b != nullptr && same_settings(*a, *b));
}

bool same_signing(const aws_signing* a, const aws_signing* b) {
    if (a == b) return true;
    if (a == nullptr || b == nullptr) return false;
    return a->region == b->region && a->service == b->service && a->access_key_id == b->access_key_id &&
           a->secret_access_key.reveal() == b->secret_access_key.reveal();
}

bool same_header(const header& a, const header& b) { return a.name == b.name && a.value.reveal() == b.value.reveal(); }

std::size_t mixed(std::size_t seed, std::string_view text) { return seed * 31 + std::hash<std::string_view>()(text); }

}  // namespace

bool same_credential(const request& a, const request& b) {
    return a.allow_plain_http == b.allow_plain_http && a.only_verified == b.only_verified &&
           a.use_proxy == b.use_proxy && a.carries_credential == b.carries_credential &&
           same_tls(a.tls.get(), b.tls.get()) && same_signing(a.signing.get(), b.signing.get()) &&
           std::equal(a.headers.begin(), a.headers.end(), b.headers.begin(), b.headers.end(), same_header);
}

bool same_sender(const request& a, const request& b) {
    return a.connect_timeout_ms == b.connect_timeout_ms && a.attempt_timeout_ms == b.attempt_timeout_ms &&
           same_credential(a, b);
}

std::size_t sender_hash(const request& request) {
    std::size_t out = static_cast<std::size_t>(request.attempt_timeout_ms);
    for (const header& header : request.headers) out = mixed(out, header.value.reveal());
    if (request.signing) out = mixed(out, request.signing->access_key_id);
    if (request.tls) out = mixed(mixed(out, request.tls->ca_pem), request.tls->client_certificate_pem.reveal());
    return out;
}

bool same_request(const request& a, const request& b) {
    return a.method == b.method && a.url == b.url && a.body.reveal() == b.body.reveal() && a.max_bytes == b.max_bytes &&
           same_credential(a, b);
}

std::size_t request_hash(const request& request) { return mixed(mixed(0, request.url), request.body.reveal()); }

}  // namespace gputide::http
