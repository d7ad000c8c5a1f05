#include "base/status.hpp"

#include <array>
#include <cstddef>

namespace gputide {
namespace {

struct row {
    status code;
    const char* name;
    action next;
};

// In the order of the numbers, so that a number is its own index.
constexpr std::array rows{
    row{status::ok, "OK", action::none},
    row{status::invalid, "E_INVALID", action::fix_configuration},
    row{status::auth, "E_AUTH", action::fix_credentials},
    row{status::forbidden, "E_FORBIDDEN", action::grant_role},
    row{status::throttled, "E_THROTTLED", action::wait},
    row{status::unavailable, "E_UNAVAILABLE", action::retry},
    row{status::not_here, "E_NOT_HERE", action::none},
    row{status::timeout, "E_TIMEOUT", action::retry},
    row{status::cancelled, "E_CANCELLED", action::none},
    row{status::rejected, "E_REJECTED", action::fix_query},
    row{status::protocol, "E_PROTOCOL", action::retry},
    row{status::security, "E_SECURITY", action::allow_by_name},
    row{status::no_data, "E_NO_DATA", action::none},
    row{status::ambiguous, "E_AMBIGUOUS", action::fix_query},
    row{status::partial, "E_PARTIAL", action::allow_by_name},
    row{status::limit, "E_LIMIT", action::fix_configuration},
    row{status::state, "E_STATE", action::fix_configuration},
    row{status::too_new, "E_TOO_NEW", action::upgrade},
    row{status::no_memory, "E_NO_MEMORY", action::retry},
    row{status::bug, "E_BUG", action::report_bug},
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (static_cast<std::size_t>(rows[i].code) != i) return false;
    }
    return true;
}
static_assert(in_order());

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

}  // namespace gputide
