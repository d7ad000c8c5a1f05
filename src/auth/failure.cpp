// The table behind failure.hpp.
#include "auth/failure.hpp"

#include <utility>

namespace gputide::auth {
namespace {

struct row {
    const char* word;
    gputide::status status;
    bool retryable;
};

row row_of(failure what) noexcept {
    switch (what) {
        case failure::config:
            return {"config", status::invalid, false};
        case failure::permanent:
            return {"permanent", status::auth, false};
        case failure::propagation:
            return {"propagation", status::unavailable, true};
        case failure::stale_assertion:
            return {"stale_assertion", status::auth, true};
        case failure::transient:
            return {"transient", status::unavailable, true};
        case failure::throttled:
            return {"throttled", status::throttled, true};
        case failure::protocol:
            return {"protocol", status::protocol, false};
        case failure::unavailable:
            return {"unavailable", status::not_here, false};
        case failure::security:
            return {"security", status::security, false};
        case failure::timeout:
            return {"timeout", status::timeout, true};
        case failure::cancelled:
            return {"cancelled", status::cancelled, false};
        case failure::auth:
            return {"auth", status::auth, false};
        case failure::forbidden:
            return {"forbidden", status::forbidden, false};
        case failure::rejected:
            return {"permanent", status::rejected, false};
    }
    return {"", status::bug, false};
}

}  // namespace

const char* word_of(failure what) noexcept { return row_of(what).word; }

error failed(failure what, std::string message) {
    const row says = row_of(what);
    error out = fail(says.status, std::move(message));
    out.error_class = says.word;
    out.retryable = says.retryable;
    return out;
}

error missing_for_now(std::string message) {
    error out = failed(failure::config, std::move(message));
    out.retryable = true;
    return out;
}

}  // namespace gputide::auth
