// azure-token, jwt_assertions: certificates in their spellings, and the assertions signed with them.
#include "auth/azure/credentials.hpp"
#include "auth/crypto/signing_key.hpp"
#include "base/encode.hpp"
#include "base/text.hpp"
#include "frame/check.hpp"
#include "support/pem_vectors.hpp"

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <memory>
#include <stdexcept>

namespace conformance::azure_jwt {
namespace {

using gputide::secret_text;
using gputide::auth::signing;
using gputide::testing::pem_of;

std::string decoded(const json& vectors, const std::string& name) {
    const auto bytes = gputide::decode_base64(vectors.at(name).get<std::string>());
    if (!bytes) throw std::runtime_error(name + " is not base64");
    return *bytes;
}

std::string file_of(const json& object, const json& vectors) {
    if (object.contains("pkcs12")) return decoded(vectors, object.at("pkcs12").get<std::string>());
    return pem_of(vectors, object.at("pem").get<std::string>());
}

differences check_input(const json& test_case, const json& file) {
    const json& vectors = file.at("jwt_assertions");
    const auto got = gputide::auth::read_client_certificate(secret_text(file_of(test_case, vectors)),
                                                            secret_text(test_case.value("password", "")));
    const json& expect = test_case.at("expect");
    differences out;
    if (expect == "ok") {
        if (!got) return {"expected a certificate, got the error: " + got.failure().message};
        expect_equal(out, "sha1", vectors.at("sha1_base64url"), gputide::base64url(got->thumbprint_sha1()));
        expect_equal(out, "sha256", vectors.at("sha256_base64url"), gputide::base64url(got->thumbprint_sha256()));
        return out;
    }
    if (got) return {"expected an error, got a certificate"};
    expect_equal(out, "class", expect.at("error").at("class"),
                 std::string(gputide::class_word(got.failure().error_class)));
    const json parts = expect.at("error").value("text_must_contain", json::array());
    for (const json& part : parts) expect_contains(out, "error text", part.get<std::string>(), got.failure().message);
    return out;
}

bool verifies(const json& vectors, std::string_view jwt, signing how) {
    const std::string der = decoded(vectors, "certificate_der_base64");
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());  // NOLINT: bytes
    const std::unique_ptr<X509, decltype(&X509_free)> leaf(d2i_X509(nullptr, &at, static_cast<long>(der.size())),
                                                           &X509_free);
    const std::size_t dot = jwt.rfind('.');
    const auto signature = gputide::decode_base64url(jwt.substr(dot + 1));
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    EVP_PKEY_CTX* key = nullptr;
    if (!leaf || !signature) return false;
    if (EVP_DigestVerifyInit(context.get(), &key, EVP_sha256(), nullptr, X509_get0_pubkey(leaf.get())) != 1)
        return false;
    if (how == signing::ps256) {
        EVP_PKEY_CTX_set_rsa_padding(key, RSA_PKCS1_PSS_PADDING);
        EVP_PKEY_CTX_set_rsa_pss_saltlen(key, RSA_PSS_SALTLEN_DIGEST);
    }
    return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature->data()),  // NOLINT: bytes
                            signature->size(), reinterpret_cast<const unsigned char*>(jwt.data()), dot) == 1;  // NOLINT
}

// RFC 7515 writes the thumbprint in base64url without padding, MSAL for Go in padded base64; both are the same bytes.
json with_plain_thumbprint(json header) {
    if (!header.contains("x5t#S256")) return header;
    auto& thumbprint = header["x5t#S256"];
    const auto bytes = gputide::decode_base64(thumbprint.get<std::string>());
    if (bytes) thumbprint = gputide::base64url(*bytes);
    return header;
}

differences check_vector(const json& test_case, const json& file) {
    const json& vectors = file.at("jwt_assertions");
    const auto certificate = gputide::auth::read_client_certificate(
        secret_text(pem_of(vectors, "private_key_pkcs8_pem + certificate_pem")), secret_text());
    if (!certificate) return {"the vectors' certificate: " + certificate.failure().message};
    const auto header = json::parse(test_case.at("header_json").get<std::string>());
    const auto claims = json::parse(test_case.at("claims_json").get<std::string>());
    const signing how = header.at("alg") == "PS256" ? signing::ps256 : signing::rs256;
    const auto jwt =
        gputide::auth::sign_assertion(*certificate, how, header.contains("x5c"),
                                      {claims.at("aud").get<std::string>(), claims.at("iss").get<std::string>(),
                                       claims.at("jti").get<std::string>(), claims.at("nbf").get<std::int64_t>()});
    if (!jwt) return {"expected an assertion, got the error: " + jwt.failure().message};

    differences out;
    const std::string text(jwt->reveal());
    const auto pieces = gputide::split(text, '.');
    if (pieces.size() != 3) return {"expected three parts, got " + std::to_string(pieces.size())};
    expect_equal(out, "claims", test_case.at("claims_json"),
                 gputide::decode_base64url(pieces[1]).value_or("not base64url"));
    const std::string got_header = gputide::decode_base64url(pieces[0]).value_or("not base64url");
    const bool same_spelling = with_plain_thumbprint(header) == header;
    if (same_spelling) {
        expect_equal(out, "header", test_case.at("header_json"), got_header);
        expect_equal(out, "signing_input", test_case.at("signing_input"), text.substr(0, text.rfind('.')));
    } else {
        expect_equal(out, "header", with_plain_thumbprint(header), json::parse(got_header));
    }
    if (test_case.value("signature_is_deterministic", false)) expect_equal(out, "jwt", test_case.at("jwt"), text);
    if (!verifies(vectors, text, how)) out.emplace_back("signature: does not verify with the certificate's key");
    if (!verifies(vectors, test_case.at("jwt").get<std::string>(), how))
        out.emplace_back("the vector's own signature does not verify");
    return out;
}

const registration inputs{"azure-token", {}, &check_input, "jwt_assertions.input_cases"};
const registration signed_vectors{"azure-token", {}, &check_vector, "jwt_assertions.vectors"};

}  // namespace
}  // namespace conformance::azure_jwt
