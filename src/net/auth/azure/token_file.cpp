// Implements token_file.hpp.
#include "auth/azure/token_file.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::auth {
namespace {

bool is_base64url(std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
    });
}

bool is_token(std::string_view text) {
    const std::vector<std::string_view> parts = split(text, '.');
    return parts.size() == 3 && std::all_of(parts.begin(), parts.end(), is_base64url);
}

error_ptr too_large(const std::string& path, const token_file_words& words) {
    return fail(error_class::config,
                "token file {} is too large: more than {} bytes; {} must name a projected service-account token", path,
                limits::token_file_bytes, words.variable);
}

}  // namespace

result<secret_text> read_token_file(const surroundings& host, const std::string& path, const token_file_words& words) {
    auto read = host.read_file(path, limits::token_file_bytes);
    if (!read) {
        if (read.failure().status == status::limit) return too_large(path, words);
        return fail_for_now(
            format_text("token file {} cannot be read: {}. {}", path, read.failure().message, words.mount_advice));
    }
    if (read->reveal().size() > limits::token_file_bytes) return too_large(path, words);
    const std::string_view text = trim(read->reveal());
    if (text.empty()) {
        return fail_for_now(format_text("token file {} is empty; the kubelet may be replacing it", path));
    }
    if (!is_token(text)) {
        return fail(error_class::config,
                    "token file {} does not contain a service-account token: expected three base64url parts joined by "
                    "dots. Check {}",
                    path, words.variable);
    }
    return secret_text(text);
}

}  // namespace gputide::auth
