#include "config/releases.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace gputide::config {
namespace {

// Takes the digits that the text begins with, at most nine; nothing: none, or more.
std::optional<std::int32_t> take_digits(std::string_view& text) {
    constexpr std::size_t max_digits = 9;
    std::size_t count = 0;
    std::int32_t out = 0;
    for (; count < text.size() && is_digit(text[count]); ++count) {
        if (count == max_digits) return std::nullopt;
        out = out * 10 + (text[count] - '0');
    }
    text.remove_prefix(count);
    if (count == 0) return std::nullopt;
    return out;
}

bool is_in_release(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+' ||
           c == '_';
}

bool has_same_rules(const original_versions& a, const original_versions& b) {
    const std::span<const version_rule_row> rules = version_rules();
    return std::all_of(rules.begin(), rules.end(),
                       [&](const version_rule_row& row) { return holds(row.rule, a) == holds(row.rule, b); });
}

// Goes from `from` by `step` to the first version with other rules; nothing: none is known.
std::optional<original_versions> next_with_other_rules(original which, const original_versions& from, int step) {
    const version_range range = known_versions(which);
    original_versions out = from;
    std::int32_t& minor = out.*version_member(which);
    for (minor += step; minor >= range.first && minor <= range.last; minor += step) {
        if (!has_same_rules(out, from)) return out;
    }
    return std::nullopt;
}

}  // namespace

const char* original_name(original which) noexcept { return which == original::kubernetes ? "Kubernetes" : "KEDA"; }

std::string version_text(original which, std::int32_t minor) {
    return format_text("{}{}", known_versions(which).major, minor);
}

std::string known_versions_text(original which) {
    const version_range known = known_versions(which);
    return format_text("{} to {}", version_text(which, known.first), version_text(which, known.last));
}

std::optional<nearest_version> nearest_known_version(original which, std::string_view release) {
    constexpr std::size_t max_bytes = 128;  // of an image's tag; what is read here is shown
    if (release.size() > max_bytes || !std::all_of(release.begin(), release.end(), is_in_release)) return std::nullopt;
    if (release.substr(0, 1) == "v") release.remove_prefix(1);
    const std::optional<std::int32_t> major = take_digits(release);
    if (!major || *major == 0 || release.substr(0, 1) != ".") return std::nullopt;
    release.remove_prefix(1);
    const std::optional<std::int32_t> minor = take_digits(release);
    const bool has_end = release.empty() || release.front() == '.' || release.front() == '-' || release.front() == '+';
    if (!minor || !has_end) return std::nullopt;
    const version_range range = known_versions(which);
    const std::int32_t own_major = range.major.front() - '0';
    const std::pair wanted(*major, *minor);
    if (wanted < std::pair(own_major, range.first)) return nearest_version{range.first, false};
    if (wanted > std::pair(own_major, range.last)) return nearest_version{range.last, false};
    return nearest_version{*minor, true};
}

std::vector<other_version> versions_to_compare(const original_versions& used, const original_versions& found) {
    std::vector<other_version> out;
    for (const original which : {original::kubernetes, original::keda}) {
        original_versions other = used;
        other.*version_member(which) = version_of(found, which);
        if (has_same_rules(other, used)) {
            std::optional<original_versions> next = next_with_other_rules(which, used, -1);
            if (!next) next = next_with_other_rules(which, used, 1);
            if (!next) continue;
            other = *next;
        }
        out.push_back({which, other});
    }
    return out;
}

}  // namespace gputide::config
