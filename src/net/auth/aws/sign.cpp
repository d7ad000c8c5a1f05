// Rules of sign.hpp (AWS General Reference, "Create a signed AWS API request": the canonical query string).
#include "auth/aws/sign.hpp"

#include "base/encode.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace gputide::auth {

bool is_aws_region(std::string_view text) {
    return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

std::string region_of_host(std::string_view host) {
    const auto labels = split(host, '.');
    for (std::size_t i = 0; i + 2 < labels.size(); ++i) {
        const bool service = labels[i] == "aps-workspaces" || labels[i] == "sts";
        if (service && is_aws_region(labels[i + 1]) && labels[i + 1] != "amazonaws") return std::string(labels[i + 1]);
    }
    return {};
}

std::string canonical_query(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string_view piece : split(query, '&')) {
        if (piece.empty()) continue;
        const std::size_t equals = std::min(piece.find('='), piece.size());
        const auto encoded = [](std::string_view written) {
            const auto plain = percent_decode(written, true);
            return percent_encode(plain ? std::string_view(*plain) : written);
        };
        pairs.emplace_back(encoded(piece.substr(0, equals)),
                           encoded(equals < piece.size() ? piece.substr(equals + 1) : std::string_view()));
    }
    std::sort(pairs.begin(), pairs.end());
    std::string out;
    for (const auto& [name, value] : pairs) {
        out += out.empty() ? "" : "&";
        out.append(name).append("=").append(value);
    }
    return out;
}

void sign_request(http::request& request, const aws_keys& keys, const aws_target& target) {
    const std::size_t mark = request.url.find('?');
    if (mark != std::string::npos) {
        const std::string query = canonical_query(std::string_view(request.url).substr(mark + 1));
        request.url = request.url.substr(0, mark) + (query.empty() ? "" : "?" + query);
    }
    if (!keys.session_token.empty()) request.headers.push_back({"X-Amz-Security-Token", keys.session_token});
    request.signing = std::make_shared<const http::aws_signing>(
        http::aws_signing{target.region, target.service, keys.access_key_id, keys.secret_access_key});
    request.carries_credential = true;
}

}  // namespace gputide::auth
