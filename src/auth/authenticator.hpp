// What a source puts on its request to be let in: a header, a client certificate, or a token from a credential.
// Comes in: what the configuration asked for; goes out: the request with it, or the reason why that would be unsafe.
// A token is sent to the hosts of its audience only; the host program may name more, a manifest never.
#pragma once

#include "auth/aws/sign.hpp"
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

// Whose token, and who may see it: the hosts given and everything below them ("prometheus.monitor.azure.com" lets
// "w.eastus.prometheus.monitor.azure.com" in, and not "evilprometheus.monitor.azure.com").
struct audience {
    std::string scope;  // "https://prometheus.monitor.azure.com/.default"
    std::vector<std::string> hosts;
    bool of_manifest =
        false;  // the hosts are a manifest's word (cloud: Private): the host's own tokens need more than that
};

// May a token of this audience go to this URL?  https to the audience's hosts, to permissions.allowed_token_hosts (exact)
// or to loopback, which a tenant needs a grant for; http to loopback only, unless permissions.allow_plain_http.  Otherwise
// status::invalid, class "config", with the host and what would allow it.
result<void> check_host(std::string_view url, const audience& audience, const host_permissions& permissions);

http::header bearer_header(const secret_text& token);                           // Authorization: Bearer ...
http::header basic_header(std::string_view user, const secret_text& password);  // Authorization: Basic ...

// What a configuration came to.  All empty: the request goes out as it is.
struct access {
    std::optional<http::header> header;             // bearer_header, basic_header, or one of the user's own
    std::shared_ptr<const http::tls_settings> tls;  // client certificate, own CA; null: the request keeps what it has
    std::shared_ptr<auth::credential> credential;   // a token of `audience`; its header wins over `header`
    auth::audience audience;
    std::optional<aws_target>
        signing;                   // the token holds keys of AWS: the request is signed with them, no token is sent
    bool is_cluster_wide = false;  // it holds a secret of a ClusterTriggerAuthentication
    bool of_host = false;  // the credential is the host's (a pod identity), and not one that the manifest brings along
};

class authenticator {
  public:
    authenticator() = default;  // no authentication
    authenticator(access how, host_permissions permissions, std::shared_ptr<token_cache> tokens);

    // The pure half, for source::request(): sets the static header (over one of the same name) and the TLS settings, marks
    // a request that carries a credential (also one in an Authorization or Cookie header that is already there), and checks
    // the URL's host where a token will be sent.
    result<void> prepare(http::request& request) const;

    bool needs_token() const { return parts_->how.credential != nullptr; }

    const access& how() const { return parts_->how; }

    // The other half, for source::fetch(): adds the token, or has the request signed.  Only where needs_token(); `request` went through prepare().
    // `done` runs on the loop, never inside this call.
    std::shared_ptr<http::exchange> authorize(http::request request, std::int64_t deadline_ms,
                                              std::function<void(result<http::request>)> done) const;

    // After an answer: was the token refused (401, or 403 with code InvalidAuthenticationToken), and is one repeat with
    // another token worth it?  Drops the token from the cache.  The caller repeats once at most.
    bool refused(const http::request& sent, const http::response& response) const;

    // Equal keys present themselves as the same caller.  A digest; nothing secret can be read from it.
    std::string key() const;

  private:
    // Shared by the copies that exchanges take, and by all who have nothing to present.
    struct parts {
        access how;
        host_permissions permissions;
        std::shared_ptr<token_cache> tokens;
    };
    static const never_destroyed<std::shared_ptr<const parts>> nobody;

    std::shared_ptr<const parts> parts_ = *nobody;
};

}  // namespace gputide::auth
