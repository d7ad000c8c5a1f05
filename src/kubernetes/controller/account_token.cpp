#include "auth/json_text.hpp"
#include "auth/token/claims.hpp"
#include "base/json_writer.hpp"
#include "base/time.hpp"
#include "formats/json/members.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/controller/texts.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace gputide::kubernetes {
namespace {

using auth::json_object;
using simdjson::SUCCESS;

constexpr std::int64_t requested_life_s = 3'600;
constexpr const char* token_api_version = "authentication.k8s.io/v1";

json_writer begin_request() {
    json_writer out;
    out.begin_object().member("apiVersion", token_api_version).member("kind", "TokenRequest");
    return out;
}

std::optional<double> time_claim(json_object claims, std::string_view name) {
    const auto value = auth::member(claims, name);
    return value ? formats::number_of(*value) : std::nullopt;
}

// Returns the audiences in `aud`, a text or a list of texts; nullopt for another type.
std::optional<std::vector<std::string_view>> audiences_in(json_object claims) {
    std::vector<std::string_view> out;
    const auto value = auth::member(claims, "aud");
    if (!value || value->is_null()) return out;
    simdjson::dom::array list;
    if (value->get(list) != SUCCESS) {
        std::string_view single;
        if (value->get(single) != SUCCESS) return std::nullopt;
        out.push_back(single);
        return out;
    }
    for (const auth::json_element element : list) {
        std::string_view audience;
        if (element.get(audience) != SUCCESS) return std::nullopt;
        out.push_back(audience);
    }
    return out;
}

// Returns why the claims do not fit; "" if they do.
std::string fault_in(json_object claims, const std::vector<std::string>& allowed, std::int64_t now_s) {
    if (!formats::text_of(claims, "sub").value_or("").starts_with("system:serviceaccount:"))
        return "error validating token: subject isn't a service account";
    const auto audiences = audiences_in(claims);
    if (!audiences) return "error getting token audiences: aud is not a list of texts";
    if (audiences->empty()) return "service account token has no audience";
    const bool is_approved = std::ranges::all_of(
        *audiences, [&](std::string_view audience) { return std::ranges::find(allowed, audience) != allowed.end(); });
    if (!is_approved) return "service account token contains an audience not approved by the allowed audience list";
    constexpr std::string_view lifetime = "invalid service account token lifetime: ";
    const auto expires = time_claim(claims, "exp"), starts = time_claim(claims, "nbf");
    const auto now = static_cast<double>(now_s);
    if (!expires) return std::string(lifetime) + "token is missing required claim: exp claim is required";
    if (now >= *expires) return std::string(lifetime) + "token is expired";
    if (starts && now < *starts) return std::string(lifetime) + "token is not valid yet";
    return {};
}

// The API server's signature is the receiver's to verify.
std::string fault_in_token(std::string_view token, const std::vector<std::string>& allowed, std::int64_t now_s) {
    const auto payload = auth::decode_claims(token);
    if (!payload) return "error validating token: it is not a JWT";
    const auth::json_text parsed(payload->reveal());
    const auto claims = parsed.object();
    if (!claims) return "error validating token: its claims are not a JSON object";
    return fault_in(*claims, allowed, now_s);
}

}  // namespace

api_request token_request(const object_key& account, const std::vector<std::string>& audiences) {
    json_writer body = begin_request();
    body.key("spec").begin_object();
    if (!audiences.empty()) {
        body.key("audiences").begin_array();
        for (const std::string& audience : audiences) body.string(audience);
        body.end_array();
    }
    return creation_in(known_resource("", "v1", "serviceaccounts").object(account, "create", "token"),
                       body.member("expirationSeconds", requested_life_s).end_object().end_object().take());
}

result<account_token> read_account_token(const std::string& body, const object_key& account,
                                         const std::vector<std::string>& audiences, std::int64_t now_s) {
    const auth::json_text parsed(body);
    const auto root = parsed.object();
    if (!root)
        return fail(error_class::not_json, "token request for {}: the response is not a JSON object", account.text());
    const std::string_view token = formats::text_of(*root, "status", "token").value_or("");
    if (token.empty())
        return fail(error_class::protocol, "token request for {} returned an empty token", account.text());
    if (!audiences.empty()) {
        const std::string fault = fault_in_token(token, audiences, now_s);
        if (!fault.empty())
            return fail(error_class::security, "invalid token returned for service account {}: {}", account.text(),
                        fault);
    }
    const auto expires_ms = parse_rfc3339(formats::text_in(*root, "status", "expirationTimestamp"));
    json_writer manifest = begin_request();
    manifest.key("metadata").begin_object().member("name", account.name).member("namespace", account.name_space);
    manifest.end_object().key("status").begin_object().member("token", token).end_object();
    return account_token{secret_text(manifest.end_object().take()),
                         expires_ms ? *expires_ms / 1'000 - now_s : requested_life_s};
}

}  // namespace gputide::kubernetes
