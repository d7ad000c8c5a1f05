// Gets a token for a scope.  One file per method in this folder; token/cache.hpp is in front of all.
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
using acquisition = http::operation<result<token>>;  // the base of every credential's acquire()

// Permissions of the host program; never of a manifest (design: the host decides about trust).
struct host_permissions {
    bool allow_custom_authority = false;
    bool enable_azure_proxy = false;
    std::vector<std::string> allowed_token_hosts;  // exact hosts beyond an audience's own
    bool allow_plain_http = false;
    bool verified_peers = false;                // no credential to a peer with an unverified certificate
    bool unverified_peers = false;              // the host's own credentials may be sent to such a peer, too
    std::string ca_pem;                         // PEM roots for every peer without its own; "": ca_file
    std::string ca_file;                        // "": SSL_CERT_FILE and _DIR, then the system's
    std::string proxy;                          // as http::tls_settings has it
    std::string user_agent;                     // likewise
    std::vector<std::string> allowed_programs;  // that may be run for a token, by the names given there
    std::string secrets_dir;                    // a manifest may name a token's file below it; "": not allowed
    auth::tenant tenant;                        // the manifest's tenant, if it comes from a cluster
};

// A credential's description for troubleshooting.  Holds no secret; "" if a kind has no such value.
struct introduction {
    std::string kind;       // "workload identity"
    std::string authority;  // its login endpoint: "https://login.microsoftonline.com"
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

    // Returns how long a failed acquisition is reported to the next callers too, so that many waiting callers do not cause a
    // storm.
    virtual std::int64_t failure_memory_ms() const { return 0; }

    // Returns how long a token is kept although a resource refuses it: a newer one would be refused as well.
    virtual std::int64_t trusted_ms() const { return 0; }

    // Acquires one token, with retries and without the cache.  On the loop's thread; `done` never runs inside this
    // call.
    virtual std::shared_ptr<http::exchange> acquire(http::loop& loop, const std::string& scope,
                                                    std::int64_t deadline_ms, token_done done) = 0;
};

}  // namespace gputide::auth
