// One cache for all credentials of a client: renewal ahead, one request in the air per key however many callers, memory
// of failures.  All times on the loop's steady clock, so that a wall clock set back cannot stretch a token.
//
// For an entry of age t:  before refresh_at it is served.  From there to usable_until one renewal is started; the caller
// that starts it waits a moment for its outcome, everybody else is served the old token, and after a failure no other
// renewal starts for 30 s.  Behind usable_until callers wait for a renewal, and its failure is theirs.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace gputide::auth {

class token_cache {
  public:
    explicit token_cache(std::shared_ptr<http::loop> loop);
    ~token_cache();  // stops what is in the air; callers that still wait are not told
    token_cache(const token_cache&) = delete;
    token_cache& operator=(const token_cache&) = delete;

    // A usable token, from the cache or a (shared) acquisition.  The returned exchange's cancel() releases this caller
    // only, and so does its deadline.  On the loop's thread; `done` never runs inside this call.
    std::shared_ptr<http::exchange> get(const std::shared_ptr<credential>& credential, const std::string& scope,
                                        std::int64_t deadline_ms, token_done done);

    // The resource refused this very token (401, or 403 InvalidAuthenticationToken).  True where a repeat makes sense:
    // the token was dropped, or another one took its place already; false within 30 s of the last time it was dropped, so
    // that a missing role, which refuses every token, cannot make a loop, and within credential::trusted_ms() of its issue.
    // Any thread.
    bool report_refused(const credential& credential, const std::string& scope, std::string_view value);

  private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace gputide::auth
