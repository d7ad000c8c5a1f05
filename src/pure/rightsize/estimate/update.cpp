#include "rightsize/estimate/update.hpp"

#include <array>

namespace gputide::rightsize {
namespace {

constexpr std::array mode_names{"Off", "Initial", "Recreate", "Auto", "InPlaceOrRecreate", "InPlace"};

}  // namespace

std::optional<update_mode> update_mode_of(std::string_view word) {
    for (std::size_t i = 0; i < mode_names.size(); ++i)
        if (word == mode_names[i]) return static_cast<update_mode>(i);
    return std::nullopt;
}

const char* update_mode_name(update_mode mode) noexcept { return mode_names[static_cast<std::size_t>(mode)]; }

}  // namespace gputide::rightsize
