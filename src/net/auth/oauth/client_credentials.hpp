// The client credentials grant (RFC 6749, 4.4) at any token endpoint, with the rules of golang.org/x/oauth2 clientcredentials,
// which KEDA uses (kedacore/keda pkg/scalers/authentication/authentication_helpers.go OAuthTokenSource @v2.21.0).
#pragma once

#include "auth/credential.hpp"
#include "auth/token/exchange.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gputide::auth {

// A token endpoint's 2xx response, parsed like golang.org/x/oauth2 (v0.30 internal/token.go doTokenRoundTrip): JSON or a form,
// any token_type, an optional lifetime.  Pure.

// Parses the response.  A token is usable until 10 s before its expiry and is not renewed early; without expires_in it never
// expires.
result<token> read_oauth_answer(const http::response& response, const moment& sent, const std::string& endpoint);

struct client_credentials_settings {
    secret_text token_url;  // the manifest's oauthTokenURI
    secret_text client_id;
    secret_text client_secret;                                    // "": only the client ID is sent
    std::string scope;                                            // scopes, joined by blanks; "": none
    std::vector<std::pair<std::string, secret_text>> parameters;  // endpointParams: form fields beside the grant's own
    std::shared_ptr<const http::tls_settings> tls;                // for the token endpoint; null: defaults
    std::int64_t timeout_ms = 0;                                  // per token request; 0: the default
    bool is_cluster_wide = false;  // the secret comes from a ClusterTriggerAuthentication
};

// Opens the credential.  The secret may be sent to https URLs, to loopback (a tenant needs a capability), and over plain http if
// the host program allows it; a ClusterTriggerAuthentication's secret only to hosts that the host program names.  Errors are
// class config and quote only the URL's host.  acquire() sends one request.  With a secret, and before it knows how the endpoint
// accepts secrets, it sends two: with `Authorization: Basic`, then with the secret in the form.  The method that worked is
// remembered.  A token is kept until 10 s before its expiry; a token without an expiry never expires.
result<std::shared_ptr<credential>> open_client_credentials(const client_credentials_settings& settings,
                                                            const host_permissions& permissions);

}  // namespace gputide::auth
