// The token cache of all credentials of a client: early renewal, one request in progress per key for any number of callers,
// cached failures.  All times are on the loop's steady clock, so that setting the wall clock back cannot extend a token.
// An entry is returned until refresh_at.  From then to usable_until one renewal is started: the caller that starts it waits a
// moment for its result, all other callers get the old token, and after a failure no other renewal starts for 30 s.  After
// usable_until callers wait for a renewal and get its failure.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace gputide::auth {

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

}  // namespace gputide::auth
