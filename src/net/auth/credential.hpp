// Credentials: obtain a token for a scope.  This folder has one file per method; callers use them through token_cache.
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
#include <optional>
#include <string>
#include <string_view>
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
        return [self = std::static_pointer_cast<acquisition>(shared_from_this())](result<token>&& outcome) {
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
    std::string kind = {};       // "workload identity"
    std::string authority = {};  // login endpoint: "https://login.microsoftonline.com"
    std::string tenant = {};
    std::string client_id = {};
    std::string token_file = {};                         // the service-account token that is exchanged
    std::shared_ptr<const http::tls_settings> tls = {};  // for the authority; null: defaults
};

// A way to obtain tokens: values, and how it begins an acquisition.
class credential {
  public:
    // Starts the first step of an acquisition.  A result that is known at once is delivered by finish_soon().  Owns the
    // state of the credential, if it has any.
    using beginner = callback<void(const std::shared_ptr<acquisition>& under_way, const std::string& scope)>;

    // key: equal for equal tokens: kind, canonical authority, tenant in lower case, client ID or selector.
    credential(std::string key, introduction about, beginner begin)
        : cache_key_(std::move(key)), about_(std::move(about)), begin_(std::move(begin)) {}
    credential(const credential&) = delete;
    credential& operator=(const credential&) = delete;

    const std::string& cache_key() const { return cache_key_; }
    const introduction& about() const { return about_; }

    // Obtains a token, with retries and without the cache.  Must be called on the loop's thread; `done` never runs inside this
    // call.
    std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string& scope, std::int64_t deadline_ms,
                                            token_done done) const;
    // Obtains a token as the next step of `under_way`.
    void acquire_within(const std::shared_ptr<acquisition>& under_way, const std::string& scope, token_done done) const;

    // Both are set before the credential is shared.

    // The time for which a failure is also returned to the next callers, so that many callers do not cause many requests.
    std::int64_t failure_memory_ms = 0;
    // The time for which a token is kept although a server rejects it, because a newer token would be rejected too.
    std::int64_t trusted_ms = 0;

  private:
    const std::string cache_key_;
    const introduction about_;
    const beginner begin_;
};

// Returns a credential that can be shared.
std::shared_ptr<credential> make_credential(std::string key, introduction about, credential::beginner begin);

// Several credentials as one.  Members are tried in order; the first that succeeds is used from then on.  An unavailable member
// (class unavailable) is skipped.  Any other failure ends the chain, because a later member would use another identity.  Errors
// contain the reason of each member that was tried.
struct chain_member {
    std::string name;  // for messages: "workload identity"
    result<std::shared_ptr<credential>> opened;
};

// Makes a chain.  `name` is used in messages: "azure-default".  Fails if no member can succeed.
result<std::shared_ptr<credential>> make_chain(std::string name, std::vector<chain_member> members);

// The token cache of all credentials of a client: early renewal, one request in progress per key for any number of callers,
// cached failures.  All times are on the loop's steady clock, so that setting the wall clock back cannot extend a token.
// An entry is returned until refresh_at.  From then to usable_until one renewal is started: the caller that starts it waits a
// moment for its result, all other callers get the old token, and after a failure no other renewal starts for 30 s.  After
// usable_until callers wait for a renewal and get its failure.
class token_cache {
  public:
    explicit token_cache(std::shared_ptr<http::loop> loop);
    ~token_cache();  // stops acquisitions; waiting callers are not notified
    token_cache(const token_cache&) = delete;
    token_cache& operator=(const token_cache&) = delete;

    // Gets a usable token, from the cache or from a shared acquisition.  Canceling the returned exchange, or its deadline, ends
    // only this caller's wait.  Must be called on the loop's thread; `done` never runs inside this call.
    std::shared_ptr<http::exchange> get(const std::shared_ptr<credential>& credential, const std::string& scope,
                                        std::int64_t deadline_ms, token_done done);

    // Reports that a server rejected this token (401, or 403 InvalidAuthenticationToken).  Returns true if a repetition may
    // succeed: the token was dropped now or has already been replaced.  Returns false within credential::trusted_ms of its
    // issue, and within 30 s of the last drop: a missing role, which causes every token to be rejected, must not cause a loop.
    // Thread-safe.
    bool report_refused(const credential& credential, const std::string& scope, std::string_view value);

  private:
    struct state;
    std::shared_ptr<state> state_;
};

// Returns class unavailable with the names of the unset variables, or nullopt if all are set.
std::optional<error> absent(const surroundings& host, const std::vector<const char*>& variables);

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
