#include "kubernetes/controller/block.hpp"

#include <utility>

namespace gputide::kubernetes {

const char* block_reason_name(block_reason reason) noexcept {
    static constexpr std::array<const char*, block_reasons> names{"none",   "refused",   "unknown_kind", "no_target",
                                                                  "unseen", "contested", "not_owner"};
    return names[static_cast<std::size_t>(reason)];
}

void write_block_counts(json_writer& out, const block_counts& counts) {
    std::size_t blocked = 0;
    out.key("held_reasons").begin_object();
    for (std::size_t reason = 1; reason < block_reasons; ++reason) {
        blocked += counts[reason];
        out.member(block_reason_name(static_cast<block_reason>(reason)), counts[reason]);
    }
    out.end_object().member("held_count", blocked);
}

bool block_state::set(part& which, block_reason reason, std::string why) {
    if (which.reason == reason && which.why == why) return false;
    const part* shown_before = &shown();
    which.reason = reason;
    which.why = std::move(why);
    return &which == shown_before || &shown() != shown_before;
}

}  // namespace gputide::kubernetes
