// Implements the token cache of credential.hpp: entries, waiting callers and acquisitions.  Everything runs on the loop except
// report_refused(), which a host may call from any thread: the lock guards the entries for it, and is never held during a call
// of a credential, the loop or a caller.
#include "auth/credential.hpp"
#include "base/debug_log.hpp"
#include "base/format_text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace gputide::auth {
namespace {

constexpr std::int64_t between_renewals_ms = 30'000;   // after a failed renewal
constexpr std::int64_t between_refusals_ms = 30'000;   // between tokens dropped because a server rejected them
constexpr std::int64_t remembered_ms = 60'000;         // for propagation and request-loop errors
constexpr std::int64_t starter_wait_ms = 1'000;        // for the caller that starts an early renewal
constexpr std::int64_t renewal_deadline_ms = 300'000;  // for a renewal without waiting callers
constexpr std::int64_t sweep_age_ms = 86'400'000;      // entries are removed this long after their token's expiry

using waiters = std::vector<std::shared_ptr<acquisition>>;

struct entry {
    std::optional<auth::token> token;
    std::uint64_t flight = 0;  // number of the acquisition in progress; 0: none
    std::int64_t flight_deadline_ms = 0;
    std::shared_ptr<http::exchange> in_the_air;
    waiters waiting;
    std::int64_t next_renewal_ms = 0;          // steady
    std::optional<error> remembered;           // the error of a failed acquisition
    std::int64_t remembered_until_ms = 0;      // steady
    std::optional<std::int64_t> last_drop_ms;  // steady

    std::int64_t refresh_at_ms() const { return token->steady_ms(token->refresh_at_ms); }
    std::int64_t usable_until_ms() const { return token->steady_ms(token->usable_until_ms); }
    bool usable(std::int64_t now) const { return token && now < usable_until_ms(); }
    bool fresh(std::int64_t now) const { return usable(now) && now < refresh_at_ms(); }
    bool idle_since(std::int64_t time) const {
        return flight == 0 && waiting.empty() && (!token || usable_until_ms() < time) && remembered_until_ms < time &&
               last_drop_ms.value_or(time - 1) < time;
    }
};

error_ptr too_late(const std::string& scope) {
    return fail(error_class::timeout, "the caller's deadline passed before there was a token for {}", scope);
}

bool deadline_was_too_near(const error& why) { return why.status == status::timeout || why.past_deadline; }

// Returns how long a failure prevents further acquisitions; 0: not at all.
std::int64_t memory_ms(const error& why, std::int64_t wall_ms) {
    const bool asks_to_wait =
        why.error_class == error_class::propagation || why.error_class == error_class::request_loop;
    const bool throttled = why.status == status::throttled && why.retry_at_ms != 0;
    const std::int64_t asked = throttled ? std::max<std::int64_t>(0, why.retry_at_ms - wall_ms) : 0;
    return asks_to_wait ? std::max(asked, remembered_ms) : asked;
}

// Returns "token for https://prometheus.monitor.azure.com/.default by workload identity, client 11111111-...: valid
// until 2026-...".
std::string line_of(const credential& credential, const std::string& scope, const result<token>& outcome) {
    const introduction& about = credential.about();
    const std::string client = about.client_id.empty() ? std::string() : ", client " + about.client_id;
    const std::string came =
        outcome ? "valid until " + format_rfc3339_s(outcome->expires_at_ms)
                : format_text("{}: {}", status_name(outcome.failure().status), outcome.failure().message);
    return format_text("token for {} by {}{}: {}", scope, about.kind, client, came);
}

}  // namespace

struct token_cache::state : std::enable_shared_from_this<token_cache::state> {
    explicit state(std::shared_ptr<http::loop> loop) : on(std::move(loop)) {}

    const std::shared_ptr<http::loop> on;
    std::mutex guard;
    std::map<std::string, entry> entries;
    std::uint64_t last_flight = 0;

    static std::string key_of(const credential& credential, const std::string& scope) {
        return format_text("{}\n{}", credential.cache_key(), scope);
    }

    void serve(const std::shared_ptr<credential>& credential, const std::string& scope,
               const std::shared_ptr<acquisition>& caller);
    void start(const std::shared_ptr<credential>& credential, const std::string& scope, const std::string& key,
               std::uint64_t flight, std::int64_t deadline_ms);
    void land(const std::shared_ptr<credential>& credential, const std::string& scope, const std::string& key,
              std::uint64_t flight, result<token> outcome);
    void abandon(const std::string& key, std::uint64_t flight);
    std::uint64_t take_off(entry& entry, std::int64_t deadline_ms);  // requires the lock
    waiters landed(entry& entry, const result<token>& outcome, std::int64_t now,
                   std::int64_t memory_ms);  // requires the lock
    void sweep(std::int64_t now);            // requires the lock
};

std::uint64_t token_cache::state::take_off(entry& entry, std::int64_t deadline_ms) {
    entry.flight = ++last_flight;
    entry.flight_deadline_ms = deadline_ms;
    return entry.flight;
}

void token_cache::state::sweep(std::int64_t now) {
    for (auto at = entries.begin(); at != entries.end();) {
        at = at->second.idle_since(now - sweep_age_ms) ? entries.erase(at) : std::next(at);
    }
}

// Serves one caller: decides whether to return a result immediately, whether the caller waits, and whether it starts an
// acquisition.
void token_cache::state::serve(const std::shared_ptr<credential>& credential, const std::string& scope,
                               const std::shared_ptr<acquisition>& caller) {
    const std::int64_t now = on->steady_ms();
    const std::string key = key_of(*credential, scope);
    std::optional<result<token>> at_once;  // the cached result
    std::int64_t wait_ms = 0;              // how long to wait for a newer one
    std::uint64_t flight = 0;              // the acquisition that this caller starts
    std::int64_t flight_deadline_ms = 0;
    {
        const std::lock_guard<std::mutex> hold(guard);
        if (entries.find(key) == entries.end()) sweep(now);
        entry& entry = entries[key];
        if (entry.usable(now)) {
            at_once = *entry.token;
            if (!entry.fresh(now) && entry.flight == 0 && now >= entry.next_renewal_ms) {
                entry.waiting.push_back(caller);
                flight = take_off(entry, now + renewal_deadline_ms);
                wait_ms = std::min(starter_wait_ms, std::max<std::int64_t>(0, (caller->deadline_ms() - now) / 2));
            }
        } else if (entry.remembered && now < entry.remembered_until_ms) {
            at_once = *entry.remembered;
        } else {
            entry.waiting.push_back(caller);
            if (entry.flight == 0) flight = take_off(entry, caller->deadline_ms());
            // An acquisition with a later deadline does not delay this caller beyond its own deadline.
            if (caller->deadline_ms() < entry.flight_deadline_ms) {
                at_once = too_late(scope);
                wait_ms = std::max<std::int64_t>(0, caller->deadline_ms() - now);
            }
        }
        flight_deadline_ms = entry.flight_deadline_ms;
    }
    try {
        if (at_once) caller->finish_after(wait_ms, *std::move(at_once));
        if (flight != 0) start(credential, scope, key, flight, flight_deadline_ms);
    } catch (const std::bad_alloc&) {
        if (flight != 0) abandon(key, flight);
        throw;
    }
}

// Removes an acquisition that could not start for lack of memory: no caller waits for it, and the next caller starts another.
void token_cache::state::abandon(const std::string& key, std::uint64_t flight) {
    waiters dropped;  // destroyed after the lock is released
    const std::lock_guard<std::mutex> hold(guard);
    const auto found = entries.find(key);
    if (found == entries.end() || found->second.flight != flight) return;
    found->second.flight = 0;
    dropped.swap(found->second.waiting);
}

void token_cache::state::start(const std::shared_ptr<credential>& credential, const std::string& scope,
                               const std::string& key, std::uint64_t flight, std::int64_t deadline_ms) {
    auto in_the_air = credential->acquire(
        *on, scope, deadline_ms, [self = weak_from_this(), credential, scope, key, flight](result<token>&& outcome) {
            if (const auto here = self.lock()) here->land(credential, scope, key, flight, std::move(outcome));
        });
    const std::lock_guard<std::mutex> hold(guard);
    const auto found = entries.find(key);
    if (found != entries.end() && found->second.flight == flight) found->second.in_the_air = std::move(in_the_air);
}

// Stores the result in its entry, a failure for memory_ms, and returns the waiting callers.
waiters token_cache::state::landed(entry& entry, const result<token>& outcome, std::int64_t now,
                                   std::int64_t memory_ms) {
    entry.flight = 0;
    entry.in_the_air.reset();
    waiters waiting;
    waiting.swap(entry.waiting);
    if (outcome) {
        entry.token = *outcome;
        entry.remembered.reset();
        entry.next_renewal_ms = 0;
        return waiting;
    }
    entry.next_renewal_ms = now + between_renewals_ms;
    if (memory_ms > 0) {
        entry.remembered = outcome.failure();
        entry.remembered_until_ms = now + memory_ms;
    }
    return waiting;
}

void token_cache::state::land(const std::shared_ptr<credential>& credential, const std::string& scope,
                              const std::string& key, std::uint64_t flight, result<token> outcome) {
    debug_log::write([&] { return line_of(*credential, scope, outcome); });
    const std::int64_t now = on->steady_ms();
    const std::int64_t kept_ms =
        outcome ? 0 : std::max(credential->failure_memory_ms, memory_ms(outcome.failure(), on->wall_ms()));
    waiters waiting;
    std::optional<token> old;  // still valid although its renewal failed
    std::int64_t deadline_ms = 0;
    {
        const std::lock_guard<std::mutex> hold(guard);
        const auto found = entries.find(key);
        if (found == entries.end() || found->second.flight != flight) return;
        entry& entry = found->second;
        deadline_ms = entry.flight_deadline_ms;
        waiting = landed(entry, outcome, now, kept_ms);
        if (!outcome && entry.usable(now)) old = entry.token;
    }
    const bool others_have_time = !outcome && !old && deadline_was_too_near(outcome.failure());
    for (const auto& caller : waiting) {
        if (caller->over()) continue;
        if (old) {
            caller->finish(*old);
        } else if (others_have_time && caller->deadline_ms() > deadline_ms) {
            serve(credential, scope, caller);  // the acquisition ended at another caller's deadline
        } else {
            caller->finish(result<token>(outcome));
        }
    }
}

token_cache::token_cache(std::shared_ptr<http::loop> loop) : state_(std::make_shared<state>(std::move(loop))) {}

// The cache may be destroyed on any thread; acquisitions in progress are canceled on the loop.  If memory is lacking for that,
// they continue to their end without effect.
token_cache::~token_cache() {
    try {
        std::vector<std::shared_ptr<http::exchange>> left;
        {
            const std::lock_guard<std::mutex> hold(state_->guard);
            for (auto& [key, entry] : state_->entries) {
                if (entry.in_the_air) left.push_back(std::move(entry.in_the_air));
                left.insert(left.end(), entry.waiting.begin(), entry.waiting.end());
            }
            state_->entries.clear();
        }
        if (left.empty()) return;
        state_->on->after(0, [left = std::move(left)] {
            for (const auto& entry : left) entry->cancel();
        });
    } catch (const std::bad_alloc&) {
    }
}

std::shared_ptr<http::exchange> token_cache::get(const std::shared_ptr<credential>& credential,
                                                 const std::string& scope, std::int64_t deadline_ms, token_done done) {
    auto caller = std::make_shared<acquisition>(*state_->on, deadline_ms, std::move(done));
    state_->serve(credential, scope, caller);
    return caller;
}

bool token_cache::report_refused(const credential& credential, const std::string& scope, std::string_view value) {
    const std::int64_t now = state_->on->steady_ms();
    const std::lock_guard<std::mutex> hold(state_->guard);
    const auto found = state_->entries.find(state::key_of(credential, scope));
    if (found == state_->entries.end()) return true;
    entry& entry = found->second;
    if (!entry.token || !same_secret(entry.token->value.reveal(), value)) return true;
    if (entry.last_drop_ms && now - *entry.last_drop_ms < between_refusals_ms) return false;
    if (now - entry.token->issued_at_steady_ms < credential.trusted_ms) return false;
    entry.token.reset();
    entry.last_drop_ms = now;
    return true;
}

}  // namespace gputide::auth
