// Building for client_assertion.hpp.
#include "auth/client_assertion.hpp"

#include "base/encode.hpp"
#include "base/json_writer.hpp"

namespace gputide::auth {
namespace {

constexpr std::int64_t life_s = 600;

}  // namespace

std::string assertion_header(const client_certificate& by, signing how, bool send_chain) {
    json_writer out;
    out.begin_object().member("alg", how == signing::ps256 ? "PS256" : "RS256").member("typ", "JWT");
    if (how == signing::ps256) {
        out.member("x5t#S256", base64url(by.thumbprint_sha256()));
    } else {
        out.member("x5t", base64url(by.thumbprint_sha1()));
    }
    if (send_chain) {
        out.key("x5c").begin_array();
        for (const std::string& der : by.chain()) out.string(base64(der));
        out.end_array();
    }
    return out.end_object().take();
}

std::string assertion_payload(const assertion_claims& of) {
    json_writer out;
    out.begin_object().member("aud", of.audience).member("iss", of.client_id).member("sub", of.client_id);
    out.member("jti", of.id).member("nbf", of.now_s).member("exp", of.now_s + life_s);
    return out.end_object().take();
}

result<secret_text> sign_assertion(const client_certificate& by, signing how, bool send_chain,
                                   const assertion_claims& of) {
    return signed_jwt(assertion_header(by, how, send_chain), assertion_payload(of), by.key(), how);
}

}  // namespace gputide::auth
