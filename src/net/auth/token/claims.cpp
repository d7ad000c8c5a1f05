// Parser of claims.hpp.
#include "auth/token/claims.hpp"

#include "auth/json_text.hpp"
#include "base/encode.hpp"
#include "base/redact.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"

namespace gputide::auth {
namespace {

std::string text_claim(json_element element, std::string_view name) {
    return redact(cut_utf8(text_member(element, name).value_or(""), 400));
}

std::string audience_claim(json_element element) {
    const auto found = member(element, "aud");
    simdjson::dom::array several;
    if (!found || found->get(several) != simdjson::SUCCESS) return text_claim(element, "aud");
    std::string out;
    for (const json_element entry : several) {
        std::string_view text;
        if (entry.get(text) == simdjson::SUCCESS) out += (out.empty() ? "" : ", ") + redact(cut_utf8(text, 400));
    }
    return out;
}

}  // namespace

result<claims> read_claims(std::string_view token) {
    const auto parts = split(token, '.');
    auto decoded = parts.size() == 3 ? decode_base64url(parts[1]) : std::nullopt;
    if (!decoded) {
        return fail(error_class::protocol,
                    "the token is opaque: it is no JWT of three base64url parts, so its claims cannot be "
                    "shown");
    }
    const secret_text held(std::move(*decoded));
    const json_text parsed(held.reveal());
    const auto object = parsed.object();
    if (!object)
        return fail(error_class::protocol,
                    "the token's second part is not a JSON object, so its claims cannot be shown");

    claims out;
    out.audience = audience_claim(*object);
    out.issuer = text_claim(*object, "iss");
    out.tenant = text_claim(*object, "tid");
    out.client = text_claim(*object, "appid");
    if (out.client.empty()) out.client = text_claim(*object, "azp");
    out.object_id = text_claim(*object, "oid");
    out.subject = text_claim(*object, "sub");
    if (const auto expires = member(*object, "exp")) out.expires_at_s = whole_number(*expires);
    if (const auto starts = member(*object, "nbf")) out.starts_at_s = whole_number(*starts);
    return out;
}

std::vector<std::pair<std::string, std::string>> text_claims(const claims& claims) {
    std::vector<std::pair<std::string, std::string>> out;
    const auto add = [&out](const char* name, const std::string& value) {
        if (!value.empty()) out.emplace_back(name, value);
    };
    add("aud", claims.audience);
    add("iss", claims.issuer);
    add("tid", claims.tenant);
    add("appid", claims.client);
    add("oid", claims.object_id);
    add("sub", claims.subject);
    return out;
}

std::vector<std::pair<std::string, std::string>> list_claims(const claims& claims) {
    auto out = text_claims(claims);
    if (claims.expires_at_s) out.emplace_back("exp", std::to_string(*claims.expires_at_s));
    return out;
}

}  // namespace gputide::auth
