#include "kubernetes/controller/hindrance.hpp"

#include <utility>

namespace gputide::kubernetes {

const char* hindrance_name(hindrance hindrance) noexcept {
    static constexpr std::array<const char*, hindrances> names{"none",   "refused",   "unknown_kind", "no_target",
                                                               "unseen", "contested", "not_owner"};
    return names[static_cast<std::size_t>(hindrance)];
}

void write_held(json_writer& out, const hindrance_counts& counts) {
    std::size_t held = 0;
    out.key("held_reasons").begin_object();
    for (std::size_t which = 1; which < hindrances; ++which) {
        held += counts[which];
        out.member(hindrance_name(static_cast<hindrance>(which)), counts[which]);
    }
    out.end_object().member("held_count", held);
}

bool holding::set(part& which, hindrance reason, std::string why) {
    if (which.reason == reason && which.why == why) return false;
    const part* shown_before = &shown();
    which.reason = reason;
    which.why = std::move(why);
    return &which == shown_before || &shown() != shown_before;
}

}  // namespace gputide::kubernetes
