// Something that can get a token for a scope.  One file per method beside this one; token_cache.hpp stands in front of all.
#pragma once

#include "auth/machine/surroundings.hpp"
#include "auth/tenant.hpp"
#include "auth/token/token.hpp"
#include "base/result.hpp"
#include "http/exchange.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gputide::auth {

using token_done = std::function<void(result<token>)>;
using acquisition = http::operation<result<token>>;  // what every credential's acquire() is made of

// What the host program allows; never a manifest (design: trust is the host's).
struct host_permissions {
    bool allow_custom_authority = false;
    bool enable_azure_proxy = false;
    std::vector<std::string> allowed_token_hosts;  // exact hosts beyond an audience's own
    bool allow_plain_http = false;
    bool verified_peers = false;                // no credential to a peer whose certificate is not verified
    bool unverified_peers = false;              // the host's own credentials, too, go to such a peer
    std::string ca_pem;                         // PEM roots for every peer that has none of its own; "": ca_file
    std::string ca_file;                        // "": SSL_CERT_FILE and _DIR, then the system's
    std::string proxy;                          // as http::tls_settings has it
    std::string user_agent;                     // likewise
    std::vector<std::string> allowed_programs;  // that may be run for a token, as they are named there
    std::string secrets_dir;                    // below which a manifest may name a token's file; "": nowhere
    auth::tenant tenant;                        // whose manifest it is, where it comes from a cluster
};

// What a credential says of itself to the person who looks for a fault.  No secret in it; "" where a kind has no such thing.
struct introduction {
    std::string kind;       // "workload identity"
    std::string authority;  // where it signs in: "https://login.microsoftonline.com"
    std::string tenant;
    std::string client_id;
    std::string token_file;                         // the service-account token that it exchanges
    std::shared_ptr<const http::tls_settings> tls;  // of the authority; null: defaults
};

class credential {
  public:
    credential() = default;
    credential(const credential&) = delete;
    credential& operator=(const credential&) = delete;
    virtual ~credential() = default;

    // Equal keys mean equal tokens: kind, canonical authority, tenant in lower case, client id or selector.
    virtual std::string cache_key() const = 0;

    virtual introduction about() const { return {}; }

    // How long a failed acquisition speaks for the next callers too, so that many who wait start no storm.
    virtual std::int64_t failure_memory_ms() const { return 0; }

    // How long a token is kept although a resource refuses it: one that is newer would be refused again.
    virtual std::int64_t trusted_ms() const { return 0; }

    // One acquisition, retries included; no cache.  On the loop's thread; `done` never runs inside this call.
    virtual std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string& scope,
                                                    std::int64_t deadline_ms, token_done done) = 0;
};

}  // namespace gputide::auth
