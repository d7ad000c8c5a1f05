#include "kube/path_check.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace gputide::kube {
namespace {

constexpr std::string_view lower_and_digits = "abcdefghijklmnopqrstuvwxyz0123456789";

bool is_label(std::string_view text) {
    return !text.empty() && text.front() != '-' && text.back() != '-' &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return c == '-' || lower_and_digits.find(c) != std::string_view::npos; });
}

bool is_subdomain(std::string_view text) {
    const std::vector<std::string_view> labels = split(text, '.');
    return std::all_of(labels.begin(), labels.end(), is_label);
}

// Returns the name as it is in a path: characters that are not unreserved (RFC 3986) are escaped.
bool is_segment(std::string_view text) {
    static constexpr std::string_view others = "ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~%";
    return !text.empty() && text != "." && text != ".." && std::all_of(text.begin(), text.end(), [](char c) {
        return lower_and_digits.find(c) != std::string_view::npos || others.find(c) != std::string_view::npos;
    });
}

error not_a(std::string_view what, std::string_view text, const endpoint& asked) {
    return fail(status::invalid,
                format_text("{}: {} is not a valid {} of the Kubernetes API, and nothing was sent",
                            asked.resource.empty() ? asked.path : asked.resource, in_quotes(text, 80), what));
}

}  // namespace

result<void> check_path(const endpoint& endpoint) {
    if (!endpoint.group.empty() && !is_subdomain(endpoint.group)) return not_a("group", endpoint.group, endpoint);
    if (!endpoint.version.empty() && !is_label(endpoint.version)) return not_a("version", endpoint.version, endpoint);
    if (endpoint.path.empty()) return {};
    const std::vector<std::string_view> segments = split(endpoint.path, '/');
    if (!segments.front().empty()) return not_a("path", endpoint.path, endpoint);
    for (std::size_t i = 1; i < segments.size(); ++i) {
        if (!is_segment(segments[i])) return not_a("name", segments[i], endpoint);
    }
    return {};
}

}  // namespace gputide::kube
