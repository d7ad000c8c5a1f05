// A VPA's update mode: how recommendations are applied to pods.
// kubernetes/autoscaler vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1/types.go (UpdateMode).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gputide::rightsize {

// The values of a VPA's updateMode, and `automatic` for Auto, which is Recreate today.
enum class update_mode : std::uint8_t { off, initial, recreate, automatic, in_place_or_recreate, in_place };
std::optional<update_mode> update_mode_of(std::string_view word);  // "Recreate"; case-sensitive, as in the API
const char* update_mode_name(update_mode mode) noexcept;

}  // namespace gputide::rightsize
