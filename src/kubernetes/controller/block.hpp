// Why a scaler is blocked: it is not acted on until the reason ends.
#pragma once

#include "base/json_writer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gputide::kubernetes {

// The names are those of the JSON.
enum class block_reason : std::int32_t {
    none = 0,
    refused,    // its manifest has an error
    unknown,    // the kind that it scales is not served, or has no scale
    no_target,  // what it scales is not there
    unseen,     // what it scales cannot be seen at present
    contested,  // another controller scales the same target
    not_owner,  // gputide.io/owner names another owner
};
inline constexpr std::size_t block_reasons = 7;
const char* block_reason_name(block_reason reason) noexcept;

using block_counts = std::array<std::size_t, block_reasons>;
// Writes the members held_reasons, all of them, and held_count, their sum.
void write_block_counts(json_writer& out, const block_counts& counts);

// The block of one scaler.  A foreign owner is kept apart from other problems: it is shown first, and the end of a problem does not
// end it.
class block_state {
  public:
    block_reason reason() const { return shown().reason; }
    const std::string& why() const { return shown().why; }
    bool is_blocked() const { return reason() != block_reason::none; }

    bool has_other_owner() const { return owner_.reason != block_reason::none; }
    block_reason problem() const { return problem_.reason; }  // also while it has another owner

    // Each returns whether something else is shown now.  none: there is no such reason any more.
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
