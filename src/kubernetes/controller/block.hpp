// The reasons for which a scaler is blocked.  A blocked scaler writes nothing until the reason ends.
#pragma once

#include "base/json_writer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gputide::kubernetes {

// Their names are the values in the JSON.
enum class block_reason : std::int32_t {
    none = 0,
    refused,    // its manifest has an error
    unknown,    // the API server does not serve the target's kind, or the kind has no scale
    no_target,  // the target does not exist
    unseen,     // the target or its HPAs cannot be read now
    contested,  // another controller scales the same target
    not_owner,  // gputide.io/owner names another gputide
};
inline constexpr std::size_t block_reasons = 7;
const char* block_reason_name(block_reason reason) noexcept;

using block_counts = std::array<std::size_t, block_reasons>;
// Writes the members held_reasons and held_count, which is their sum.
void write_block_counts(json_writer& out, const block_counts& counts);

// The block of a scaler.  Another owner is kept apart from other problems: it takes precedence, and the end of a problem does not
// remove it.
class block_state {
  public:
    block_reason reason() const { return shown().reason; }
    const std::string& why() const { return shown().why; }
    bool is_blocked() const { return reason() != block_reason::none; }

    bool has_other_owner() const { return owner_.reason != block_reason::none; }
    block_reason problem() const { return problem_.reason; }  // even if another owner takes precedence

    // Set or clear (none) a reason.  They return true if reason() or why() has changed.
    bool set_owner(block_reason reason, std::string why) { return set(owner_, reason, std::move(why)); }
    bool set_problem(block_reason reason, std::string why) { return set(problem_, reason, std::move(why)); }

  private:
    struct part {
        block_reason reason = block_reason::none;
        std::string why;
    };

    const part& shown() const { return has_other_owner() ? owner_ : problem_; }
    bool set(part& which, block_reason reason, std::string why);

    part owner_;
    part problem_;
};

}  // namespace gputide::kubernetes
