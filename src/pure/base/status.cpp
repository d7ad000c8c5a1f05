#include "base/status.hpp"

#include <array>
#include <cstddef>

namespace gputide {
namespace {

struct row {
    status code;
    const char* name;
    action next;
    action final;  // if the same call cannot succeed later
    bool passes;
};

// In the order of the numbers: a number is its own index.
constexpr std::array rows{
    row{status::ok, "OK", action::none, action::none, false},
    row{status::invalid, "E_INVALID", action::fix_configuration, action::fix_configuration, false},
    row{status::auth, "E_AUTH", action::fix_credentials, action::fix_credentials, false},
    row{status::forbidden, "E_FORBIDDEN", action::grant_role, action::grant_role, false},
    row{status::throttled, "E_THROTTLED", action::wait, action::fix_configuration, true},
    row{status::unavailable, "E_UNAVAILABLE", action::retry, action::fix_configuration, true},
    row{status::not_here, "E_NOT_HERE", action::none, action::none, false},
    row{status::timeout, "E_TIMEOUT", action::retry, action::fix_query, true},
    row{status::cancelled, "E_CANCELLED", action::none, action::none, false},
    row{status::rejected, "E_REJECTED", action::fix_query, action::fix_query, false},
    row{status::protocol, "E_PROTOCOL", action::retry, action::fix_configuration, false},
    row{status::security, "E_SECURITY", action::allow_by_name, action::allow_by_name, false},
    row{status::no_data, "E_NO_DATA", action::none, action::none, false},
    row{status::ambiguous, "E_AMBIGUOUS", action::fix_query, action::fix_query, false},
    row{status::partial, "E_PARTIAL", action::allow_by_name, action::allow_by_name, false},
    row{status::limit, "E_LIMIT", action::fix_configuration, action::fix_configuration, false},
    row{status::state, "E_STATE", action::fix_configuration, action::fix_configuration, false},
    row{status::too_new, "E_TOO_NEW", action::upgrade, action::upgrade, false},
    row{status::no_memory, "E_NO_MEMORY", action::retry, action::none, true},
    row{status::bug, "E_BUG", action::report_bug, action::report_bug, false},
    row{status::not_found, "E_NOT_FOUND", action::fix_configuration, action::fix_configuration, false},
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (static_cast<std::size_t>(rows[i].code) != i) return false;
    }
    return true;
}
static_assert(in_order());

// In the order of the numbers.
constexpr std::array action_names{"none",       "retry",     "wait",          "fix_configuration", "fix_credentials",
                                  "grant_role", "fix_query", "allow_by_name", "upgrade",           "report_bug"};
static_assert(action_names.size() == static_cast<std::size_t>(action::report_bug) + 1);

const row* find(status code) {
    const auto index = static_cast<std::size_t>(code);
    return index < rows.size() ? &rows[index] : nullptr;
}

}  // namespace

const char* status_name(status code) noexcept {
    const row* found = find(code);
    return found != nullptr ? found->name : "E_UNKNOWN";
}

action status_action(status code) noexcept {
    const row* found = find(code);
    return found != nullptr ? found->next : action::report_bug;
}

action final_action(status code) noexcept {
    const row* found = find(code);
    return found != nullptr ? found->final : action::report_bug;
}

bool usually_passes(status code) noexcept {
    const row* found = find(code);
    return found != nullptr && found->passes;
}

const char* action_name(action next) noexcept {
    const auto index = static_cast<std::size_t>(next);
    return index < action_names.size() ? action_names[index] : "unknown";
}

}  // namespace gputide
