// keda-prometheus, kinds auth_params (a TriggerAuthentication as the parameters of a trigger, in the strict profile) and token_policy
// (whether KEDA's operator starts).
#include "auth/open.hpp"
#include "base/encode.hpp"
#include "base/secret.hpp"
#include "frame/check.hpp"
#include "kubernetes/controller/texts.hpp"
#include "manifest/load.hpp"
#include "manifest/token_audiences.hpp"

#include <algorithm>
#include <optional>

namespace conformance::keda_authentication {
namespace {

namespace manifest = gputide::manifest;
namespace kubernetes = gputide::kubernetes;

json object_of(const char* version, const char* kind, const std::string& name) {
    return {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}, {"namespace", "ml"}}}};
}

// The API server of a case.  It answers each TokenRequest for an account that exists; one for a missing account is 404 and not
// counted, as KEDA gets the account first.
class token_server {
  public:
    explicit token_server(const json& object) : case_(object) {}

    // The token of each account that the authentication names, as documents; those that cannot be had are left out.
    json tokens_for(const json& authentication, const manifest::token_policy& policy) {
        json out = json::array();
        const auto add = [&](simdjson::dom::object object) {
            for (const std::string& account : kubernetes::read_authentication(object, false).accounts)
                if (const auto token = answer({"ml", account}, policy)) out.push_back(json::parse(token->reveal()));
        };
        const std::string text = authentication.dump();
        simdjson::dom::parser parser;
        add(parser.parse(text).value().get_object().value());
        return out;
    }
    json asked() const { return asked_; }  // the last request, or null
    const std::string& token() const { return token_; }
    const std::string& fault() const { return fault_; }  // of the token that was refused

  private:
    std::optional<gputide::secret_text> answer(const kubernetes::object_key& account,
                                               const manifest::token_policy& policy) {
        const auto audiences = policy.audiences_for(account.name_space, account.name);
        const json accounts = case_.value("service_accounts", json::array());
        const bool exists = std::find(accounts.begin(), accounts.end(), account.name) != accounts.end();
        if (!audiences || !exists) return std::nullopt;
        const kubernetes::api_request request = kubernetes::token_request(account, *audiences);
        const json spec = json::parse(request.body).at("spec");
        asked_ = {{"service_account", account.name},
                  {"audiences", spec.value("audiences", json())},
                  {"expiration_s", spec.at("expirationSeconds")}};
        if (request.target.path != "/namespaces/ml/serviceaccounts/" + account.name + "/token")
            asked_ = request.target.path;
        const json how = case_.value("token", json::object());
        if (how.contains("error")) return std::nullopt;
        token_ = how.value("empty", false) ? "" : token_of(account, asked_.at("audiences"), how);
        const auto read =
            kubernetes::read_account_token(json{{"status", {{"token", token_}}}}.dump(), account, *audiences, now_s);
        if (!read) fault_ = read.failure().message;
        return read ? std::optional(read->manifest) : std::nullopt;
    }

    static std::string token_of(const kubernetes::object_key& account, const json& audiences, const json& how) {
        json claims{{"sub", how.value("sub", "system:serviceaccount:" + account.name_space + ":" + account.name)},
                    {"aud", how.value("aud", audiences.is_null() ? json{"https://kubernetes.default.svc"} : audiences)},
                    {"exp", now_s + how.value("exp_in_s", 3'600)}};
        if (how.value("no_exp", false)) claims.erase("exp");
        const auto part = [](const json& object) { return gputide::base64url(object.dump()); };
        return part({{"alg", "RS256"}}) + "." + part(claims) + "." + part("signature");
    }

    static constexpr std::int64_t now_s = 1'800'000'000;
    const json& case_;
    json asked_;
    std::string token_, fault_;
};

std::string documents_of(const json& object, token_server& server) {
    json authentication = object_of("keda.sh/v1alpha1", "TriggerAuthentication", "auth");
    authentication["spec"] = object.at("spec");
    json items = {authentication};
    const json secrets = object.value("secrets", json::object());  // items() borrows it
    for (const auto& [name, data] : secrets.items()) {
        json secret = object_of("v1", "Secret", name);
        secret["stringData"] = data;
        items.push_back(secret);
    }
    const json given = object.value("policy", json::object());
    const auto policy = manifest::read_token_policy(given.value("mode", ""), given.value("audiences", ""));
    if (!policy) throw std::runtime_error(policy.failure().message);
    for (const json& token : server.tokens_for(authentication, *policy)) items.push_back(token);
    return json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}}.dump();
}

json shown(const manifest::authentication& from, const std::string& token) {
    json out = json::object();
    for (const auto& [name, value] : from.parameters) {
        const bool is_token = !token.empty() && value.reveal() == token;
        out[name] = is_token ? "<token>" : std::string(value.reveal());
    }
    return out;
}

differences check_parameters(const json& test_case, const json&) {
    manifest::surroundings host;
    host.kinds.identities = gputide::auth::identity_kinds();
    host.strict = true;
    token_server server(test_case);
    const std::string text = documents_of(test_case, server);
    const auto loaded = manifest::load_identity({{"case.json", text}}, host, nullptr);
    const json& expect = test_case.at("expect");
    differences out;
    expect_equal(out, "ok", expect.at("ok"), loaded.ok());
    if (!loaded && !out.empty()) out.push_back("the error: " + loaded.failure().message);
    if (expect.contains("params") && loaded)
        expect_equal(out, "params", expect.at("params"), shown(*loaded, server.token()));
    if (expect.contains("token_request"))
        expect_equal(out, "token_request", expect.at("token_request"), server.asked());
    if (expect.contains("error_contains") && !server.fault().empty())
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), server.fault());
    return out;
}

differences check_policy(const json& test_case, const json&) {
    const json& policy = test_case.at("policy");
    const auto got = manifest::read_token_policy(policy.value("mode", ""), policy.value("audiences", ""));
    differences out;
    expect_equal(out, "ok", test_case.at("expect").at("ok"), got.ok());
    return out;
}

const registration policies{"keda-prometheus", {"token_policy"}, &check_policy};
const registration parameters{"keda-prometheus", {"auth_params"}, &check_parameters};

}  // namespace
}  // namespace conformance::keda_authentication
