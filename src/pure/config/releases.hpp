// Releases of Kubernetes and KEDA as programs name them, and the versions (versions.hpp) whose rules they have.  Pure.
#pragma once

#include "config/versions.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::config {

inline constexpr std::int32_t original_versions::*version_member(original which) noexcept {
    return which == original::kubernetes ? &original_versions::kubernetes : &original_versions::keda;
}
inline constexpr std::int32_t version_of(const original_versions& versions, original which) noexcept {
    return versions.*version_member(which);
}
inline constexpr bool operator==(const original_versions& a, const original_versions& b) noexcept {
    return a.kubernetes == b.kubernetes && a.keda == b.keda;
}

const char* original_name(original which) noexcept;  // "Kubernetes", "KEDA"

// 35 as "1.35".
std::string version_text(original which, std::int32_t minor);

// "1.18 to 1.38".
std::string known_versions_text(original which);

struct nearest_version {
    std::int32_t minor = 0;
    bool is_known = true;  // false: the release is older or newer than all that are known
};
// Returns the known version nearest to a release as a program names it: "v1.37.2", "2.21.0", "v1.33.1-eks-7f9249a".  Nothing for a
// text that names no release, such as "main", and for v0.0.0-master, as a build without a version calls itself.
std::optional<nearest_version> nearest_known_version(original which, std::string_view release);

struct other_version {
    original which = original::kubernetes;  // the one that differs
    original_versions versions;
};
// Returns by which versions to decide beside `used`, to tell whether a release explains a difference.  Of each original: what was
// found, where that has other rules; else the newest release before with other rules, or where none is before, the first one after.
std::vector<other_version> versions_to_compare(const original_versions& used, const original_versions& found);

}  // namespace gputide::config
