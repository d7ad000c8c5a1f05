// Why a page has nothing for a trigger, in words that say what to do.  Reads the page once more; pure.
#pragma once

#include "formats/exposition/format.hpp"
#include "source/dcgm/settings.hpp"

#include <string>
#include <string_view>

namespace gputide::source::dcgm {

// For a page that was read without error and gave no sample.
std::string why_nothing(std::string_view body, formats::exposition::format as, const settings& settings);

}  // namespace gputide::source::dcgm
