// A client certificate and its private key, as PEM texts in tls_settings: checks that they match, and keeps connections of
// different keys apart.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"

#include <string>

namespace gputide::http {

// Checks that the key matches the certificate; the error is class config.  Accepts unreadable input, such as an encrypted key,
// because the handshake rejects it.  libgputide-pure has no OpenSSL and does not check, because it sends no requests.
#ifndef GPUTIDE_PURE_ONLY
__attribute__((weak))
#endif
result<void>
check_client_certificate(const tls_settings& tls);

// Returns the certificate with a comment that depends on the key. libcurl 7.88 reuses a connection for a request with the same
// certificate without comparing keys (lib/vtls/vtls.c, Curl_ssl_config_matches): a caller with only the public certificate of
// another caller would use its connection.  PEM parsers ignore text outside of blocks.
std::string certificate_for_connections(const tls_settings& tls);

}  // namespace gputide::http
