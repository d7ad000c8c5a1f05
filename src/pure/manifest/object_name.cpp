#include "manifest/object_name.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace gputide::manifest {

std::string_view kind_text(document_kind kind) {
    static constexpr std::array<std::string_view, 8> names{"ScaledObject",
                                                           "HorizontalPodAutoscaler",
                                                           "TriggerAuthentication",
                                                           "ClusterTriggerAuthentication",
                                                           "Secret",
                                                           "ConfigMap",
                                                           "ScaledJob",
                                                           "TokenRequest"};
    return names[static_cast<std::size_t>(kind)];
}

std::string object_identity::text() const {
    return format_text("{} {}{}{}", kind_text(kind), name_space, name_space.empty() ? "" : "/", name);
}

namespace {

constexpr std::size_t max_label_bytes = 63;
constexpr std::size_t max_subdomain_bytes = 253;

bool is_small_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool has_label_shape(std::string_view text) {
    return !text.empty() && is_small_or_digit(text.front()) && is_small_or_digit(text.back()) &&
           std::ranges::all_of(text, [](char c) { return is_small_or_digit(c) || c == '-'; });
}

void refuse(mapping& fields, const std::string& key, std::string_view value, std::string_view rule) {
    fields.error(key, "invalid-value",
                 format_text("{}: {} is not a name that Kubernetes accepts: {}", key, in_quotes(value), rule),
                 "write it as the cluster has it");
}

}  // namespace

bool is_dns_label(std::string_view name) { return name.size() <= max_label_bytes && has_label_shape(name); }

bool is_dns_subdomain(std::string_view name) {
    if (name.size() > max_subdomain_bytes) return false;
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
        if (!has_label_shape(name.substr(0, dot))) return false;
        name.remove_prefix(dot + 1);
    }
    return has_label_shape(name);
}

bool is_api_version(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return is_dns_label(text);
    return is_dns_subdomain(text.substr(0, slash)) && is_dns_label(text.substr(slash + 1));
}

bool is_kind(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return is_dns_label(small);
}

void check_dns_label(mapping& fields, const std::string& key, std::string_view name) {
    if (name.empty() || is_dns_label(name)) return;
    refuse(fields, key, name,
           "a lowercase RFC 1123 label consists of lower case alphanumeric characters or '-', starts and ends with an "
           "alphanumeric character, and has at most 63");
}

void check_dns_subdomain(mapping& fields, const std::string& key, std::string_view name) {
    if (name.empty() || is_dns_subdomain(name)) return;
    refuse(fields, key, name,
           "a lowercase RFC 1123 subdomain consists of lower case alphanumeric characters, '-' or '.', starts and ends "
           "with an alphanumeric character, and has at most 253");
}

void check_target_type(mapping& fields, std::string_view api_version, std::string_view kind) {
    if (!api_version.empty() && !is_api_version(api_version)) {
        refuse(fields, "apiVersion", api_version, "it is a version, or a group and a version such as apps/v1");
    }
    if (!kind.empty() && !is_kind(kind)) refuse(fields, "kind", kind, "it is a word such as Deployment");
}

}  // namespace gputide::manifest
