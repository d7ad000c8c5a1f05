// Obtains Entra tokens with an application's client secret or certificate.
#pragma once

#include "auth/credential.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gputide::auth {

// Settings of an application in a tenant, common to client secret and client certificate.
struct application {
    std::string authority;  // canonical
    std::string tenant;
    std::string client_id;
    std::shared_ptr<const http::tls_settings> tls;  // null: defaults
};

struct application_settings {
    std::string tenant_id;                           // "": AZURE_TENANT_ID
    std::string client_id;                           // "": AZURE_CLIENT_ID
    std::optional<std::string> authority_host = {};  // nullopt: AZURE_AUTHORITY_HOST, else the public cloud
    bool is_of_cluster = false;  // its secret or certificate comes from a ClusterTriggerAuthentication
};

// Reads the settings.  `has_own_proof`: the secret or certificate is one of the settings, not from the environment.  Errors are
// class config and name the setting.
result<application> read_application(const application_settings& settings, bool has_own_proof,
                                     const host_permissions& permissions, const surroundings& host);

// Returns authority, tenant and client in canonical spelling, for cache keys.
std::string application_key(const application& application);

introduction about_application(const char* kind, const application& application);

struct client_secret_settings : application_settings {
    secret_text client_secret;  // "": AZURE_CLIENT_SECRET
};

// Opens the credential: reads the environment now and checks every setting.
result<std::shared_ptr<credential>> open_client_secret(const client_secret_settings& settings,
                                                       const host_permissions& permissions, const surroundings& host);

// Obtains Entra tokens with an application's certificate: each request contains an assertion signed with its private key.

class client_certificate;  // crypto/signing_key.hpp
enum class signing;        // crypto/signing_key.hpp

// The JWT with which an application proves that it has its certificate (RFC 7523).  Each request needs a new one.

struct assertion_claims {
    std::string audience;    // URL of the token endpoint, exactly as used for the request
    std::string client_id;   // iss and sub
    std::string id;          // jti, a fresh UUID
    std::int64_t now_s = 0;  // nbf; exp is ten minutes later
};

// Returns JSON without blanks, with members in this order: alg, typ, x5t#S256 (PS256) or x5t (RS256), and with send_chain x5c.
std::string assertion_header(const client_certificate& certificate, signing how, bool send_chain);
std::string assertion_payload(const assertion_claims& claims);

// Returns the request for a token with an assertion instead of a secret.
http::request assertion_request(const std::string& url, const std::string& client_id, const std::string& scope,
                                const secret_text& assertion, std::shared_ptr<const http::tls_settings> tls);

// Returns header.payload.signature, each base64url.
result<secret_text> sign_assertion(const client_certificate& certificate, signing how, bool send_chain,
                                   const assertion_claims& claims);

struct client_certificate_settings : application_settings {
    secret_text content;         // PEM or PKCS#12; "": from the file AZURE_CLIENT_CERTIFICATE_PATH
    secret_text password;        // "": AZURE_CLIENT_CERTIFICATE_PASSWORD
    std::optional<signing> how;  // nullopt: PS256, but RS256 for the tenant adfs
    bool send_chain = false;     // sends x5c, for an application that trusts a subject name
};

// Opens the credential: reads environment and file now and checks every setting.
result<std::shared_ptr<credential>> open_client_certificate(const client_certificate_settings& settings,
                                                            const host_permissions& permissions,
                                                            const surroundings& host);

}  // namespace gputide::auth
