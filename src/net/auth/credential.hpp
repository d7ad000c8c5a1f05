// Credentials: obtain a token for a scope.  This folder has one file per method; callers use them through token/cache.hpp.
#pragma once

#include "auth/machine/surroundings.hpp"
#include "auth/tenant.hpp"
#include "base/callback.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/exchange.hpp"
#include "http/message.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gputide::auth {

// A token and its lifetime.
struct token {
    secret_text value;
    std::string type;                               // in the header; "": "Bearer"
    std::int64_t issued_at_ms = 0;                  // Unix time when its request was sent
    std::int64_t issued_at_steady_ms = 0;           // the same time on the loop's steady clock
    std::int64_t expires_at_ms = 0;                 // Unix time for display; the cache uses the steady clock
    std::int64_t refresh_at_ms = 0;                 // start of early renewal
    std::int64_t usable_until_ms = 0;               // not used after this time
    std::string client_id;                          // client to which it was issued, if the server reports it
    std::shared_ptr<const http::tls_settings> tls;  // contains the client certificate that came with it; null: none

    // Converts a time of this token to the steady clock, independent of later changes of the wall clock.
    std::int64_t steady_ms(std::int64_t unix_ms) const { return issued_at_steady_ms + (unix_ms - issued_at_ms); }
};

// A time on both clocks.
struct moment {
    std::int64_t wall_ms = 0;
    std::int64_t steady_ms = 0;
};
inline moment now_of(const http::loop& loop) { return {loop.wall_ms(), loop.steady_ms()}; }

using token_done = callback<void(result<token>)>;

// A credential's request for one token, of one or several steps.
class acquisition final : public http::operation<result<token>> {
  public:
    using operation::operation;

    // Returns the callback of a last step: it finishes the acquisition with the step's outcome.
    token_done finisher() {
        return [self = std::static_pointer_cast<acquisition>(shared_from_this())](result<token> outcome) {
            self->finish(std::move(outcome));
        };
    }
};

// Permissions that only the host program grants, never a manifest.
struct host_permissions {
    bool allow_custom_authority = false;
    bool enable_azure_proxy = false;
    std::vector<std::string> allowed_token_hosts;  // hosts, by exact name, in addition to an audience's own
    bool allow_plain_http = false;
    bool verified_peers = false;                // require a verified certificate before a credential is sent
    bool unverified_peers = false;              // allow the host's own credentials to be sent to an unverified peer
    std::string ca_pem;                         // PEM roots for every peer without its own; "": ca_file
    std::string ca_file;                        // "": SSL_CERT_FILE and _DIR, then the system's
    std::string proxy;                          // as in http::tls_settings
    std::string user_agent;                     // as in http::tls_settings
    std::vector<std::string> allowed_programs;  // programs that may be run for a token, by the names given there
    std::string secrets_dir;                    // folder for token files that a manifest names; "": not allowed
    auth::tenant tenant;                        // tenant of a manifest from a cluster
};

// A credential's description for troubleshooting.  Contains no secret; members that a kind lacks are "".
struct introduction {
    std::string kind;       // "workload identity"
    std::string authority;  // login endpoint: "https://login.microsoftonline.com"
    std::string tenant;
    std::string client_id;
    std::string token_file;                         // the service-account token that is exchanged
    std::shared_ptr<const http::tls_settings> tls;  // for the authority; null: defaults
};

class credential {
  public:
    credential() = default;
    credential(const credential&) = delete;
    credential& operator=(const credential&) = delete;
    virtual ~credential() = default;

    // Returns a key that is equal for equal tokens: kind, canonical authority, tenant in lower case, client ID or selector.
    virtual std::string cache_key() const = 0;

    virtual introduction about() const { return {}; }

    // Returns how long a failure is also returned to the next callers, so that many callers do not cause many requests.
    virtual std::int64_t failure_memory_ms() const { return 0; }

    // Returns how long a token is kept although a server rejects it, because a newer token would be rejected too.
    virtual std::int64_t trusted_ms() const { return 0; }

    // Obtains a token, with retries and without the cache.  Must be called on the loop's thread; `done` never runs inside this
    // call.
    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string& scope, std::int64_t deadline_ms,
                                            token_done done);

  protected:
    // Starts the first step of an acquisition.  A result that is known at once is delivered by finish_soon().
    virtual void begin(const std::shared_ptr<acquisition>& under_way, const std::string& scope) = 0;
};

// A credential without state of its own: values, and how it begins an acquisition.
struct credential_parts {
    using beginner = callback<void(const std::shared_ptr<acquisition>& under_way, const std::string& scope)>;

    // A constructor, because g++ 12 destroys the first members of an aggregate twice if a later one throws.
    credential_parts(std::string key, introduction itself, beginner first_step, std::int64_t memory_ms = 0)
        : cache_key(std::move(key)),
          about(std::move(itself)),
          begin(std::move(first_step)),
          failure_memory_ms(memory_ms) {}

    std::string cache_key;
    introduction about;
    beginner begin;
    std::int64_t failure_memory_ms;
};
std::shared_ptr<credential> make_credential(credential_parts parts);

// Acquires a token by another credential as the next step of `under_way`.
void acquire_by(credential& other, const std::shared_ptr<acquisition>& under_way, const std::string& scope,
                token_done done);

// Returns the host program's settings for every connection: its root certificates, proxy and user agent.
inline http::tls_settings connection_of(const host_permissions& permissions) {
    http::tls_settings out;
    out.ca_pem = permissions.ca_pem;
    if (out.ca_pem.empty()) out.ca_file = permissions.ca_file;
    out.proxy = permissions.proxy;
    out.user_agent = permissions.user_agent;
    return out;
}

// Returns the settings for requests that share them; null if all are defaults.
std::shared_ptr<const http::tls_settings> shared_settings(http::tls_settings settings);

}  // namespace gputide::auth
