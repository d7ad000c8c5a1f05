// The names of the numbers of gputide.h: statuses, actions, sample states, and those of a decision.
#include "base/sample.hpp"
#include "base/status.hpp"
#include "capi/entry.hpp"
#include "decide/decision.hpp"
#include "gputide/gputide.h"

namespace {

using gputide::action;
using gputide::status;
using gputide::capi::same;

static_assert(same(GPUTIDE_OK, status::ok) && same(GPUTIDE_E_INVALID, status::invalid));
static_assert(same(GPUTIDE_E_AUTH, status::auth) && same(GPUTIDE_E_FORBIDDEN, status::forbidden));
static_assert(same(GPUTIDE_E_THROTTLED, status::throttled) && same(GPUTIDE_E_UNAVAILABLE, status::unavailable));
static_assert(same(GPUTIDE_E_UNSUPPORTED, status::not_here) && same(GPUTIDE_E_TIMEOUT, status::timeout));
static_assert(same(GPUTIDE_E_CANCELLED, status::cancelled) && same(GPUTIDE_E_REJECTED, status::rejected));
static_assert(same(GPUTIDE_E_PROTOCOL, status::protocol) && same(GPUTIDE_E_SECURITY, status::security));
static_assert(same(GPUTIDE_E_NO_DATA, status::no_data) && same(GPUTIDE_E_AMBIGUOUS, status::ambiguous));
static_assert(same(GPUTIDE_E_PARTIAL, status::partial) && same(GPUTIDE_E_LIMIT, status::limit));
static_assert(same(GPUTIDE_E_STATE, status::state) && same(GPUTIDE_E_TOO_NEW, status::too_new));
static_assert(same(GPUTIDE_E_NO_MEMORY, status::no_memory) && same(GPUTIDE_E_BUG, status::bug));
static_assert(same(GPUTIDE_E_NOT_FOUND, status::not_found));
static_assert(same(GPUTIDE_ACTION_NONE, action::none) && same(GPUTIDE_ACTION_RETRY, action::retry));
static_assert(same(GPUTIDE_ACTION_WAIT, action::wait) &&
              same(GPUTIDE_ACTION_FIX_CONFIGURATION, action::fix_configuration));
static_assert(same(GPUTIDE_ACTION_FIX_CREDENTIALS, action::fix_credentials) &&
              same(GPUTIDE_ACTION_GRANT_ROLE, action::grant_role));
static_assert(same(GPUTIDE_ACTION_FIX_QUERY, action::fix_query) &&
              same(GPUTIDE_ACTION_ALLOW_BY_NAME, action::allow_by_name));
static_assert(same(GPUTIDE_ACTION_UPGRADE, action::upgrade) && same(GPUTIDE_ACTION_REPORT_BUG, action::report_bug));

}  // namespace

const char* gputide_status_name(gputide_status status) {
    return gputide::status_name(static_cast<gputide::status>(status));
}

const char* gputide_action_name(gputide_action action) {
    return gputide::action_name(static_cast<gputide::action>(action));
}

const char* gputide_sample_state_name(gputide_sample_state state) {
    const std::string_view name = gputide::sample_state_name(static_cast<gputide::sample_state>(state));
    return name.empty() ? "unknown" : name.data();  // of a table of literals: NUL-terminated
}

namespace {

// Returns the name, or "unknown" for a number without one.  Some tables have "" as the name of 0.
const char* or_unknown(const char* name, std::int32_t number) {
    return *name != '\0' || number == 0 ? name : "unknown";
}

}  // namespace

const char* gputide_limit_name(int32_t limit) {
    return or_unknown(gputide::decide::limit_name(static_cast<gputide::decide::limit>(limit)), limit);
}

const char* gputide_condition_name(int32_t condition) {
    return or_unknown(gputide::decide::condition_name(static_cast<gputide::decide::condition_type>(condition)),
                      condition);
}

const char* gputide_reason_name(int32_t reason) {
    return or_unknown(gputide::decide::reason_name(static_cast<gputide::decide::reason>(reason)), reason);
}

const char* gputide_event_name(int32_t event) {
    return or_unknown(gputide::decide::event_name(static_cast<gputide::decide::event>(event)), event);
}
