// Adds authentication to a source's request: a header, a client certificate, or a token from a credential.  Input: the configured
// access.  Returns the request with authentication, or the reason why that would be unsafe.  A token is sent only to the hosts of
// its audience; the host program may allow more hosts, a manifest never.
#pragma once

#include "auth/aws/aws.hpp"
#include "auth/credential.hpp"
#include "base/never_destroyed.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/exchange.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

// The token's scope and the hosts that may receive it: the given hosts and everything below them
// ("prometheus.monitor.azure.com" includes "w.eastus.prometheus.monitor.azure.com", but not
// "evilprometheus.monitor.azure.com").
struct audience {
    std::string scope;  // "https://prometheus.monitor.azure.com/.default"
    std::vector<std::string> hosts;
    bool of_manifest = false;  // from a manifest (cloud: Private); the host's tokens then need permission
};

// Checks whether a token of this audience may be sent to this URL: https to the audience's hosts, to
// permissions.allowed_token_hosts (exact) or to loopback, which a tenant needs a capability for; http to loopback only,
// unless permissions.allow_plain_http.  Otherwise returns status::invalid, class "config", with the host and what would
// allow it.
result<void> check_host(std::string_view url, const audience& audience, const host_permissions& permissions);

http::header bearer_header(const secret_text& token);                           // Authorization: Bearer ...
http::header basic_header(std::string_view user, const secret_text& password);  // Authorization: Basic ...

// Authentication as configured.  If all members are empty, the request is sent unchanged.
struct access {
    std::optional<http::header> header;             // bearer_header, basic_header, or a custom one
    std::shared_ptr<const http::tls_settings> tls;  // client certificate, own CA; null: as in the request
    std::shared_ptr<auth::credential> credential;   // provides a token for `audience`; its header replaces `header`
    auth::audience audience;
    std::optional<aws_target> signing;  // set: the token contains AWS keys, which sign the request and are never sent
    bool is_cluster_wide = false;       // contains a secret of a ClusterTriggerAuthentication
    bool of_host = false;               // the credential is the host's (a pod identity), not the manifest's
};

class authenticator {
  public:
    authenticator() = default;  // no authentication
    authenticator(access how, host_permissions permissions, std::shared_ptr<token_cache> tokens);

    // Prepares a request, without I/O.  Sets the TLS settings and the static header, which replaces one of the same name.  Marks
    // a request with a credential, also if that is in an existing Authorization or Cookie header.  Checks the URL's host if a
    // token will be sent.
    result<void> prepare(http::request& request) const;

    const access& how() const { return parts_->how; }

    // Returns a key that is equal for the same caller identity.  The key is a digest and reveals no secret.
    std::string key() const;

  private:
    friend class authenticated_exchange;
    // Shared by copies of the authenticator, and by all requests without authentication.
    struct parts {
        access how;
        host_permissions permissions;
        std::shared_ptr<token_cache> tokens;
    };
    static const never_destroyed<std::shared_ptr<const parts>> no_authentication;

    std::shared_ptr<const parts> parts_ = *no_authentication;
};

// Sends one authenticated request over HTTP: token, request, a safe retry, and one new token after a rejected one.  Used by
// sources, the cluster client and the writer of node pools.  Input: a request prepared by an authenticator.  Returns the response
// and the request as sent, or an error.  The caller interprets the response.

struct exchanged {
    http::outgoing sent;  // includes its token: for redaction, never for a message
    http::answer answer;
    std::int64_t retry_at_ms = 0;  // set if the server's Retry-After is longer than the call may wait
};

// Returns the rule for one repetition within the call: after temporary faults and statuses, but not after a timeout or a query
// that the server rejected as too expensive.
http::retry_rule one_safe_repeat();

// Copies `authenticator`.  Must be called on the loop's thread; `done` never runs inside this call.
std::shared_ptr<http::exchange> send_authenticated(const std::shared_ptr<http::loop>& loop,
                                                   const auth::authenticator& authenticator,
                                                   result<http::request> request, std::int64_t deadline_ms,
                                                   callback<void(result<exchanged>)> done,
                                                   http::retry_rule again = one_safe_repeat());

// Returns the error for the host program, without any request header's value.  Adds the address in front (no query, no user
// information), the place `asker` (such as a trigger) if it has none, and retry_at_ms from the server's Retry-After.
error outward_error(error error, std::string_view asker, const http::request& sent, std::int64_t wall_ms,
                    std::int64_t retry_at_ms);

}  // namespace gputide::auth
