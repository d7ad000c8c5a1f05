// keda-prometheus, kinds auth_params (a TriggerAuthentication as the parameters of a trigger, in the strict profile) and token_policy
// (whether KEDA's operator starts).
#include "auth/open.hpp"
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "frame/check.hpp"
#include "inside/keda_spec.hpp"
#include "kubernetes/controller/texts.hpp"
#include "manifest/keda_operator.hpp"
#include "manifest/load.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <algorithm>
#include <cmath>
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

// keda-prometheus, kind prom_oauth: reads of a prometheus trigger against a token endpoint and a Prometheus.  In the strict profile.

namespace conformance::keda_oauth {
namespace {

namespace auth = gputide::auth;
namespace manifest = gputide::manifest;
namespace text = gputide::text;
namespace http = gputide::http;
namespace source = gputide::source;
using gputide::testing::scripted;
using gputide::testing::scripted_answer;
using texts = std::map<std::string, std::string>;

constexpr const char* token_url = "https://login.test/token";
constexpr std::int64_t max_wait_ms = 600'000;

manifest::trigger trigger_of(const json& object) {
    manifest::trigger out;
    out.type = "prometheus";
    out.metadata = object.at("metadata").get<texts>();
    for (const auto& [name, value] : object.at("authParams").get<texts>())
        out.auth.parameters.emplace(name, gputide::secret_text(value == "TOKEN" ? std::string(token_url) : value));
    return out;
}

struct requests {
    json tokens = json::array();
    json queries = json::array();
};

json text_of_header(const http::request& sent, const char* name) {
    const http::header* found = sent.find(name);
    return found == nullptr ? json() : json(std::string(found->value.reveal()));
}

// "id:s", each half as it was before Go's QueryEscape.
json basic_pair(const http::request& sent) {
    const json header = text_of_header(sent, "Authorization");
    if (!header.is_string()) return {};
    const auto pair = gputide::decode_base64(header.get<std::string>().substr(std::string("Basic ").size()));
    if (!pair) return "not Basic";
    return gputide::percent_decode(*pair, true).value_or("?");
}

json decoded_form(std::string_view form) {
    json out = json::object();
    const auto text = [](std::string_view raw) { return gputide::percent_decode(raw, true).value_or("?"); };
    for (const std::string_view piece : gputide::split(form, '&')) {
        const std::size_t equals = std::min(piece.find('='), piece.size());
        out[text(piece.substr(0, equals))] = text(piece.substr(std::min(equals + 1, piece.size())));
    }
    return out;
}

// Records what is asked and answers as the case says.
class peers {
  public:
    explicit peers(const json& object) : one_(object) {}

    scripted_answer answer(const http::request& sent) {
        if (sent.url.find(token_url) == 0) return token_answer(sent);
        seen_.queries.push_back({{"authorization", text_of_header(sent, "Authorization")},
                                 {"X-Scope-OrgID", text_of_header(sent, "X-Scope-OrgID")}});
        const auto status = one_.value("query_status", std::int32_t{200});
        if (status != 200) return scripted(status, "refused");
        return scripted(
            200, R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"7"]}]}})");
    }

    const requests& seen() const { return seen_; }

  private:
    scripted_answer token_answer(const http::request& sent) {
        const json& tokens = one_.at("tokens");
        const json& said = tokens.at(std::min(seen_.tokens.size(), tokens.size() - 1));
        seen_.tokens.push_back(
            {{"method", sent.method}, {"form", decoded_form(sent.body.reveal())}, {"basic", basic_pair(sent)}});
        const json& body = said.at("body");
        return scripted(said.at("status").get<std::int32_t>(), body.is_string() ? body.get<std::string>() : body.dump(),
                        {{"Content-Type", "application/json"}});
    }

    const json& one_;
    requests seen_;
};

json milli_text(const source::fetched& got) {
    if (got.sample.state != gputide::sample_state::ok) return "error";
    return std::to_string(std::llround(got.sample.value * 1000));
}

differences check_oauth(const json& test_case, const json&) {
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    peers peers(test_case);
    loop->answer_with([&peers](const http::request& sent) { return peers.answer(sent); });
    source::services services;
    services.loop = loop;
    services.tokens = std::make_shared<auth::token_cache>(loop);
    services.host = auth::process_surroundings();
    services.permissions.allow_plain_http = true;  // as the cases' addresses are
    manifest::trigger_rules rules;
    rules.versions = keda_versions_of(test_case);
    text::report findings;
    const json& expect = test_case.at("expect");
    auto opened =
        gputide::testing::open_source(trigger_of(test_case), rules, manifest::profile::strict, services, &findings);
    if (opened.ok() != expect.at("ok").get<bool>())
        return {opened ? "expected an error, got success" : "expected success, got: " + opened.failure().message};
    if (!opened) return {};
    json values = json::array();
    for (int i = 0; i < test_case.at("queries").get<int>(); ++i) {
        (*opened)->fetch(loop->wall_ms(), loop->steady_ms() + max_wait_ms,
                         [&values](const source::fetched& got) { values.push_back(milli_text(got)); });
        loop->run_until_idle();
    }
    const bool warned = std::any_of(findings.findings.begin(), findings.findings.end(),
                                    [](const text::finding& found) { return found.code == "oauth-without-secret"; });
    const json came = {{"values_milli", values},
                       {"token_requests", peers.seen().tokens},
                       {"queries", peers.seen().queries},
                       {"warning", warned}};
    differences out;
    for (const auto& [member, wanted] : expect.items()) {
        if (came.contains(member)) expect_equal(out, member, wanted, came.at(member), {.subset = member == "queries"});
    }
    return out;
}

const registration oauth{"keda-prometheus", {"prom_oauth"}, &check_oauth};

}  // namespace
}  // namespace conformance::keda_oauth
