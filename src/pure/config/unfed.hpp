// Metrics that a manifest names without saying who reads them: what check and doctor say of one.
#pragma once

#include "config/scaling.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace gputide::config {

// "Pods", as a manifest spells it.
constexpr std::string_view metric_kind_word(metric_kind kind) noexcept {
    constexpr std::array<std::string_view, 5> words{"External", "Object", "Pods", "Resource", "ContainerResource"};
    const auto index = static_cast<std::size_t>(kind);
    return index < words.size() ? words[index] : std::string_view("unknown");
}

// "nothing says where the Pods metric "gpu" is read: ..."
std::string unfed_text(metric_kind kind, const std::string& name);
std::string unfed_remedy(metric_kind kind, const std::string& name);

}  // namespace gputide::config
