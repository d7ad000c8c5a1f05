// Adds authentication to a source's request: a header, a client certificate, or a token from a credential.
// In: what the configuration asks for; out: the request with it, or the reason why that would be unsafe.
// A token is sent to the hosts of its audience only; the host program may name more hosts, a manifest never.
#pragma once

#include "auth/aws/keys.hpp"
#include "auth/credential.hpp"
#include "auth/token/cache.hpp"
#include "base/never_destroyed.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <functional>
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
    bool of_manifest =
        false;  // the hosts come from a manifest (cloud: Private): the host program's own tokens need more than that
};

// Checks whether a token of this audience may be sent to this URL: https to the audience's hosts, to
// permissions.allowed_token_hosts (exact) or to loopback, which a tenant needs a capability for; http to loopback only,
// unless permissions.allow_plain_http.  Otherwise returns status::invalid, class "config", with the host and what would
// allow it.
result<void> check_host(std::string_view url, const audience& audience, const host_permissions& permissions);

http::header bearer_header(const secret_text& token);                           // Authorization: Bearer ...
http::header basic_header(std::string_view user, const secret_text& password);  // Authorization: Basic ...

// The result of reading a configuration.  All empty: the request is sent as it is.
struct access {
    std::optional<http::header> header;             // bearer_header, basic_header, or a custom one
    std::shared_ptr<const http::tls_settings> tls;  // client certificate, own CA; null: the request keeps what it has
    std::shared_ptr<auth::credential> credential;   // a token of `audience`; its header wins over `header`
    auth::audience audience;
    std::optional<aws_target> signing;  // the token holds AWS keys: the request is signed with them, no token is sent
    bool is_cluster_wide = false;       // it holds a secret of a ClusterTriggerAuthentication
    bool of_host = false;               // the credential is the host's (a pod identity), not part of the manifest
};

class authenticator {
  public:
    authenticator() = default;  // no authentication
    authenticator(access how, host_permissions permissions, std::shared_ptr<token_cache> tokens);

    // The pure half, for source::request(): sets the static header (replacing one of the same name) and the TLS
    // settings, marks a request that carries a credential (also one in an existing Authorization or Cookie header), and
    // checks the URL's host if a token will be sent.
    result<void> prepare(http::request& request) const;

    bool needs_token() const { return parts_->how.credential != nullptr; }

    const access& how() const { return parts_->how; }

    // The other half, for source::fetch(): adds the token, or has the request signed.  Requires needs_token() and a
    // `request` from prepare().  `done` runs on the loop, never inside this call.
    std::shared_ptr<http::exchange> authorize(http::request request, std::int64_t deadline_ms,
                                              std::function<void(result<http::request>)> done) const;

    // Tells whether the response refused the token (401, or 403 with code InvalidAuthenticationToken) and one repeat
    // with another token may help.  Drops the token from the cache then.  The caller repeats once at most.
    bool refused(const http::request& sent, const http::response& response) const;

    // Equal keys mean the same caller identity.  A digest, from which no secret can be read.
    std::string key() const;

  private:
    // Shared by copies of exchanges, and by all requests without authentication.
    struct parts {
        access how;
        host_permissions permissions;
        std::shared_ptr<token_cache> tokens;
    };
    static const never_destroyed<std::shared_ptr<const parts>> nobody;

    std::shared_ptr<const parts> parts_ = *nobody;
};

}  // namespace gputide::auth
