// Checks of arc_challenge.hpp (Azure/azure-sdk-for-go sdk/azidentity/managed_identity_client.go, getAzureArcSecretKey).
#include "auth/azure/arc_challenge.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <optional>

namespace gputide::auth {
namespace {

constexpr std::string_view folder = "/var/opt/azcmagent/tokens/";
constexpr std::string_view ending = ".key";
constexpr std::size_t most_key_bytes = 4096;

error_ptr refused(const std::string& why) {
    return fail(error_class::security, "the WWW-Authenticate challenge of the Azure Arc agent {}; no file was opened",
                why);
}

// Parses Basic realm=/path or Basic realm="/path".
std::optional<std::string_view> realm_of(std::string_view challenge) {
    constexpr std::string_view start = "basic realm=";
    challenge = trim(challenge);
    if (!starts_with_ignoring_case(challenge, start)) return std::nullopt;
    challenge.remove_prefix(start.size());
    if (challenge.size() >= 2 && challenge.front() == '"' && challenge.back() == '"') {
        challenge = challenge.substr(1, challenge.size() - 2);
    }
    return challenge;
}

bool names_a_key(std::string_view path) {
    if (path.substr(0, folder.size()) != folder) return false;
    const std::string_view name = path.substr(folder.size());
    return name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending &&
           name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

}  // namespace

result<http::header> answer_arc_challenge(const http::response& challenge, const surroundings& host) {
    const auto header = challenge.header("WWW-Authenticate");
    const auto path = header ? realm_of(*header) : std::nullopt;
    if (!path) return refused("is missing or is not of the form Basic realm=<path>");
    if (!names_a_key(*path)) {
        return refused(format_text("names {}; expected a file *.key right in {}", gputide::in_quotes(*path), folder));
    }
    const auto key = host.read_unlinked_file(std::string(*path), most_key_bytes);
    if (!key) {
        if (key.failure().status == status::limit) return refused("names a file of more than 4096 bytes");
        return fail_for_now(
            format_text("the key file of the Azure Arc agent cannot be read: {}. The user of this process must be in "
                        "the group himds",
                        key.failure().message));
    }
    const std::string_view content = trim(key->reveal());
    const bool printable = std::all_of(content.begin(), content.end(), [](char c) { return c > 0x20 && c < 0x7F; });
    if (content.empty() || !printable) return refused("names a file that holds no key");
    std::string value = "Basic ";
    value.reserve(value.size() + content.size());
    value.append(content);
    return http::header{"Authorization", secret_text(std::move(value))};
}

}  // namespace gputide::auth
