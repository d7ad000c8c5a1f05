// Builds the assertion of client_assertion.hpp.
#include "auth/azure/client_assertion.hpp"

#include "base/encode.hpp"
#include "base/json_writer.hpp"

namespace gputide::auth {
namespace {

constexpr std::int64_t life_s = 600;

}  // namespace

std::string assertion_header(const client_certificate& certificate, signing how, bool send_chain) {
    json_writer out;
    out.begin_object().member("alg", how == signing::ps256 ? "PS256" : "RS256").member("typ", "JWT");
    if (how == signing::ps256) {
        out.member("x5t#S256", base64url(certificate.thumbprint_sha256()));
    } else {
        out.member("x5t", base64url(certificate.thumbprint_sha1()));
    }
    if (send_chain) {
        out.key("x5c").begin_array();
        for (const std::string& der : certificate.chain()) out.string(base64(der));
        out.end_array();
    }
    return out.end_object().take();
}

std::string assertion_payload(const assertion_claims& claims) {
    json_writer out;
    out.begin_object().member("aud", claims.audience).member("iss", claims.client_id).member("sub", claims.client_id);
    out.member("jti", claims.id).member("nbf", claims.now_s).member("exp", claims.now_s + life_s);
    return out.end_object().take();
}

result<secret_text> sign_assertion(const client_certificate& certificate, signing how, bool send_chain,
                                   const assertion_claims& claims) {
    return signed_jwt(assertion_header(certificate, how, send_chain), assertion_payload(claims), certificate.key(),
                      how);
}

}  // namespace gputide::auth
