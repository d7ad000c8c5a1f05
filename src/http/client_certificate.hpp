// A client certificate and its private key, as PEM texts in tls_settings: whether they belong together, and what keeps
// connections of different keys apart.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"

#include <string>

namespace gputide::http {

// That the key is the certificate's.  What cannot be read, a locked key too, is no matter of this check: the handshake refuses
// it.  Error class config.
result<void> check_client_certificate(const tls_settings& tls);

// The certificate with a comment behind it that differs with the key.  libcurl 7.88 reuses a connection for a request with the
// same certificate without a look at its key (lib/vtls/vtls.c, Curl_ssl_config_matches): who has but the public certificate of
// another would be served over the other's connection.  PEM readers pass over what stands outside of blocks.
std::string certificate_for_connections(const tls_settings& tls);

}  // namespace gputide::http
