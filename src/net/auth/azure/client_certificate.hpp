// Exchanges an application's certificate for an Entra token: each request carries an assertion signed with its private
// key.
#pragma once

#include "auth/credential.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gputide::auth {

class client_certificate;  // crypto/certificate.hpp
enum class signing;        // crypto/signing_key.hpp

// The JWT with which an application proves that it has its certificate (RFC 7523).  A new one for each request.

struct assertion_claims {
    std::string audience;    // URL of the token endpoint, exactly as used for the request
    std::string client_id;   // iss and sub
    std::string id;          // jti, a fresh UUID
    std::int64_t now_s = 0;  // nbf; exp is ten minutes later
};

// Returns JSON without blanks, members in this order: alg, typ, then x5t#S256 (PS256) or x5t (RS256), then x5c if asked
// for.
std::string assertion_header(const client_certificate& certificate, signing how, bool send_chain);
std::string assertion_payload(const assertion_claims& claims);

// Returns header.payload.signature, each base64url.
result<secret_text> sign_assertion(const client_certificate& certificate, signing how, bool send_chain,
                                   const assertion_claims& claims);

struct client_certificate_settings {
    std::string tenant_id;                      // "": AZURE_TENANT_ID
    std::string client_id;                      // "": AZURE_CLIENT_ID
    secret_text content;                        // PEM or PKCS#12; "": the file that AZURE_CLIENT_CERTIFICATE_PATH names
    secret_text password;                       // "": AZURE_CLIENT_CERTIFICATE_PASSWORD
    std::optional<std::string> authority_host;  // else AZURE_AUTHORITY_HOST, else the public cloud
    std::optional<signing> how;                 // else PS256, and RS256 for the tenant adfs
    bool send_chain = false;                    // x5c: if the application trusts a subject name
    bool is_of_cluster = false;                 // content is a ClusterTriggerAuthentication's
};

// Reads environment and file now and checks every setting.
result<std::shared_ptr<credential>> open_client_certificate(const client_certificate_settings& settings,
                                                            const host_permissions& permissions,
                                                            const surroundings& host);

}  // namespace gputide::auth
