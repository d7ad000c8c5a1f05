// Why a scaler of the cluster is not acted on, and whose it is.
#pragma once

#include "base/json_writer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gputide::kubernetes {

// The words are those of the JSON.
enum class hindrance : std::int32_t {
    none = 0,
    refused,    // its manifest has an error
    unknown,    // the kind that it scales is not served, or has no scale
    no_target,  // what it scales is not there
    unseen,     // what it scales cannot be seen at present
    contested,  // somebody else scales it
    not_owner,  // gputide.io/owner names another one
};
inline constexpr std::size_t hindrances = 7;
const char* hindrance_name(hindrance hindrance) noexcept;

using hindrance_counts = std::array<std::size_t, hindrances>;
// Member held_reasons, all of them, and held_count: how many are held at all.
void write_held(json_writer& out, const hindrance_counts& counts);

// What holds one.  That it is another's is kept apart from what else is wrong: the one shows first, and the end of the other does not
// end it.
class holding {
  public:
    hindrance reason() const { return shown().reason; }
    const std::string& why() const { return shown().why; }
    bool is_held() const { return reason() != hindrance::none; }

    bool is_anothers() const { return claim_.reason != hindrance::none; }
    hindrance trouble() const { return trouble_.reason; }  // also of what is another's

    // Each: whether something else shows now.  none: there is no such reason any more.
    bool set_claim(hindrance reason, std::string why) { return set(claim_, reason, std::move(why)); }
    bool set_trouble(hindrance reason, std::string why) { return set(trouble_, reason, std::move(why)); }

  private:
    struct part {
        hindrance reason = hindrance::none;
        std::string why;
    };

    const part& shown() const { return is_anothers() ? claim_ : trouble_; }
    bool set(part& which, hindrance reason, std::string why);

    part claim_;  // of whose it is
    part trouble_;
};

}  // namespace gputide::kubernetes
