// Answers of token and metric endpoints as values: lives of tokens, classes and texts of errors, claims, hosts.
#include "auth/authenticator.hpp"
#include "auth/azure/services.hpp"
#include "auth/crypto/digest.hpp"
#include "auth/token/claims.hpp"
#include "auth/token/exchange.hpp"
#include "base/encode.hpp"
#include "base/limits.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gputide::auth {
namespace {

constexpr std::int64_t now_s = 1'760'000'000;
constexpr const char* endpoint = "https://login.microsoftonline.com/t/oauth2/v2.0/token";

result<token> read(const std::string& body) {
    http::response got;
    got.status = 200;
    got.body = body;
    return read_token_answer(got, {now_s * 1000, 5'000}, endpoint);
}

bool holds(const error& why, std::string_view part) { return why.message.find(part) != std::string::npos; }

TEST(TokenTimes, TheTableOfLives) {
    struct row {
        std::int64_t life, refresh, usable;
    };
    for (const row& entry : {row{300, 150, 270}, row{600, 300, 540}, row{601, 301, 541}, row{900, 600, 840},
                             row{3599, 3299, 3539}, row{7199, 6899, 7139}, row{7200, 3600, 7140},
                             row{86399, 43199, 86339}, row{2147483647, 1073741823, 2147483587}, row{1, 0, 1}}) {
        EXPECT_EQ(renewal_after_s(entry.life, 0), entry.refresh) << entry.life;
        EXPECT_EQ(usable_for_s(entry.life), entry.usable) << entry.life;
    }
    EXPECT_EQ(renewal_after_s(3600, 3600), 3600);
    EXPECT_EQ(renewal_after_s(3600, 3601), 3300);
    EXPECT_EQ(renewal_after_s(3600, -1), 3300);
}

TEST(TokenAnswer, ClocksOfAToken) {
    const auto got = read(R"({"token_type":"Bearer","expires_in":3599,"access_token":"T","client_id":"c"})");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->value.reveal(), "T");
    EXPECT_EQ(got->client_id, "c");
    EXPECT_EQ(got->expires_at_ms, (now_s + 3599) * 1000);
    EXPECT_EQ(got->steady_ms(got->expires_at_ms), 5'000 + 3'599'000);
}

TEST(TokenAnswer, RelativeLifeWinsElseTheDateDecides) {
    const auto life = [](const std::string& members) {
        const auto got = read(R"({"access_token":"T",)" + members + "}");
        return got ? got->expires_at_ms / 1000 - now_s : -1;
    };
    EXPECT_EQ(life(R"("expires_in":"3600","expires_on":1760009999)"), 3600);
    for (const char* unusable :
         {R"("03600")", "3599.5", "-1", "0", "2147483648", "null", R"("")", R"("+5")", "true", "[]"}) {
        EXPECT_EQ(life(std::string(R"("expires_on":"1760000100","expires_in":)") + unusable), 100) << unusable;
        EXPECT_EQ(life(std::string(R"("refresh_in":5,"expires_in":)") + unusable), -1) << unusable;
    }
    EXPECT_EQ(life(R"("expires_on":"2025-10-09T10:16:40.75+01:00")"), 5000 - 3600);
    EXPECT_EQ(life(R"("expires_on":"Thu, 09 Oct 2025 10:16:40 GMT")"), 5000);
    EXPECT_EQ(life(R"("expires_on":253402300799)"), 253402300799 - now_s);
    EXPECT_EQ(life(R"("expires_on":253402300800)"), -1);
    EXPECT_EQ(life(R"("ext_expires_in":3600)"), -1);
}

TEST(TokenAnswer, RefusedAnswersSayWhy) {
    const std::string good = R"({"access_token":"T","expires_in":3599})";
    EXPECT_TRUE(read(good + std::string(limits::token_response_bytes - good.size(), ' ')));
    const auto large = read(good + std::string(limits::token_response_bytes - good.size() + 1, ' '));
    EXPECT_TRUE(holds(large.failure(), "large"));
    EXPECT_TRUE(holds(read("").failure(), "empty"));
    EXPECT_TRUE(holds(read("[]").failure(), "JSON"));
    EXPECT_TRUE(holds(read(R"({"access_token":"TOKEN)").failure(), "JSON"));
    EXPECT_FALSE(holds(read(R"({"access_token":"TOKEN)").failure(), "TOKEN"));
    EXPECT_TRUE(holds(read(R"({"error":"invalid_client"})").failure(), "invalid_client"));
    EXPECT_TRUE(holds(read(R"({"access_token":"T","expires_in":1,"token_type":"pop"})").failure(), "token_type"));
    const auto past = read(R"({"access_token":"T","expires_on":1759999990})");
    EXPECT_TRUE(holds(past.failure(), "expires_in") && holds(past.failure(), "expires_on") &&
                holds(past.failure(), "clock"));
    EXPECT_EQ(past.failure().error_class, error_class::protocol);
}

TEST(TokenAnswer, ControlCharactersAreASecurityMatter) {
    const auto got = read(R"({"access_token":"T\r\nX-Evil: 1","expires_in":3599})");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, status::security);
    EXPECT_FALSE(holds(got.failure(), "X-Evil"));
}

http::retried answered(std::int32_t status, const std::string& body) {
    http::retried out;
    out.last.response.status = status;
    out.last.response.body = body;
    out.attempts = 1;
    return out;
}

error judged(std::int32_t status, const std::string& body) {
    return judge_token_failure(answered(status, body), {endpoint, "client c", {secret_text(std::string("s3cr3t"))}},
                               now_s * 1000);
}

TEST(TokenError, NumbersBeforeWordsBeforeStatus) {
    EXPECT_EQ(judged(500, R"({"error_codes":[1,700016],"error":"server_error"})").error_class, error_class::permanent);
    EXPECT_EQ(judged(400, R"({"error":"temporarily_unavailable"})").error_class, error_class::transient);
    EXPECT_EQ(judged(400, R"({"error":"slow_down"})").error_class, error_class::throttled);
    EXPECT_EQ(judged(503, R"({"error":"never_heard_of"})").error_class, error_class::transient);
    EXPECT_EQ(judged(429, "").error_class, error_class::throttled);
    EXPECT_EQ(judged(505, "").error_class, error_class::permanent);
    EXPECT_EQ(judged(307, R"({"error_codes":[90033]})").error_class, error_class::protocol);
    const auto by_text = judged(400, R"({"error":"x","error_description":"AADSTS700024: late\r\nTrace ID: 1"})");
    EXPECT_EQ(by_text.error_class, error_class::stale_assertion);
    EXPECT_EQ(by_text.service_code, "AADSTS700024");
    EXPECT_FALSE(holds(by_text, "Trace ID"));
}

TEST(TokenError, KeepsWhatSupportAsksFor) {
    const auto got = judged(400, R"({"error":"interaction_required","suberror":"basic_action","claims":"{\"a\":1}",
        "error_codes":[53003],"trace_id":"t1","correlation_id":"c1","error_description":"AADSTS53003: no, s3cr3t eyJa.b.c"})");
    const auto field = [&got](const std::string& name) {
        for (const auto& [key, value] : got.fields) {
            if (key == name) return value;
        }
        return std::string();
    };
    EXPECT_EQ(field("suberror"), "basic_action");
    EXPECT_EQ(field("claims"), "{\"a\":1}");
    EXPECT_EQ(field("trace_id"), "t1");
    EXPECT_EQ(field("correlation_id"), "c1");
    EXPECT_EQ(field("aadsts"), "53003");
    EXPECT_EQ(field("error"), "interaction_required");
    EXPECT_EQ(got.http_status, 400);
    EXPECT_FALSE(holds(got, "s3cr3t"));
    EXPECT_FALSE(holds(got, "eyJa"));
}

TEST(TokenError, EveryNumberSaysWhatItMeans) {
    std::set<std::int64_t> seen;
    for (const std::int64_t number :
         {70021,  700211, 700212, 700213,  700024, 700016,  700011,  70001,  7000112, 700021, 700023, 700027, 50012,
          900384, 50027,  700030, 7000215, 70002,  7000222, 7000218, 900144, 90014,   90002,  90019,  900023, 90038,
          900382, 900432, 500011, 50001,   650057, 70011,   28002,   28003,  700022,  901002, 53003,  53000,  530032,
          65001,  70043,  90061,  90006,   90012,  90024,   90033,   90090,  90055,   50196}) {
        const aadsts_code* found = find_aadsts(number);
        ASSERT_NE(found, nullptr) << number;
        EXPECT_FALSE(found->meaning.empty()) << number;
        EXPECT_EQ(found->fix.empty(), found->kind == error_class::transient && number != 90061) << number;
        EXPECT_TRUE(seen.insert(number).second);
    }
    EXPECT_EQ(find_aadsts(1), nullptr);
}

TEST(TokenError, WhatIsSentAgain) {
    const auto again = [](std::int32_t status, const std::string& body) {
        return token_again(answered(status, body).last);
    };
    EXPECT_TRUE(again(503, ""));
    EXPECT_TRUE(again(400, R"({"error_codes":[90024]})"));
    EXPECT_TRUE(again(429, R"({"error_codes":[90055]})"));
    EXPECT_FALSE(again(429, R"({"error_codes":[50196]})"));
    EXPECT_FALSE(again(503, R"({"error_codes":[700213]})"));
    EXPECT_FALSE(again(503, R"({"error_codes":[700024]})"));
    EXPECT_FALSE(again(501, ""));
    EXPECT_FALSE(again(302, ""));
    http::answer verify;
    verify.fault = http::fault::tls_verify;
    EXPECT_FALSE(token_again(verify));
}

TEST(TokenError, TransportTexts) {
    http::retried got;
    got.last.fault = http::fault::connect;
    EXPECT_TRUE(holds(judge_token_failure(got, {endpoint, "", {}}, 0), "connect"));
    got.last.fault = http::fault::timeout;
    EXPECT_TRUE(holds(judge_token_failure(got, {endpoint, "", {}}, 0), "timed out"));
    got.last.fault = http::fault::tls_verify;
    const auto verify = judge_token_failure(got, {endpoint, "", {}}, 0);
    EXPECT_TRUE(holds(verify, "certificate"));
    EXPECT_EQ(verify.error_class, error_class::security);
}

std::optional<error> service(std::int32_t status, const std::string& body, const std::string& host) {
    return service_refusal(answered(status, body).last, "https://" + host + "/api/v1/query");
}

TEST(ServiceError, ClassesOfManagedPrometheus) {
    const std::string host = "w-1.eastus.prometheus.monitor.azure.com";
    const auto expired =
        service(401, R"({"status":"error","errorType":"Unauthorized","error":"token TOKEN-ONE expired"})", host);
    EXPECT_EQ(expired->error_class, error_class::auth);
    http::request sent;
    sent.set("Authorization", "Bearer TOKEN-ONE");
    const error outward = outward_error(*expired, "", sent, 0, 0);
    EXPECT_TRUE(holds(outward, "401") && holds(outward, "expired") && !holds(outward, "TOKEN-ONE"));

    const auto audience =
        service(403, R"({"error":{"code":"InvalidAuthenticationTokenAudience","message":"m"}})", host);
    EXPECT_EQ(audience->status, status::invalid);
    EXPECT_TRUE(holds(*audience, "audience"));

    EXPECT_EQ(service(403, R"({"code":"InvalidAuthenticationToken","message":"m"})", host)->error_class,
              error_class::auth);

    const auto role =
        service(403, R"({"error":{"code":"A","message":"outer","innererror":{"code":"B","message":"inner"}}})", host);
    EXPECT_EQ(role->status, status::forbidden);
    for (const char* part : {"403", "A > B", "outer", "inner", "Monitoring Data Reader", "up to an hour"}) {
        EXPECT_TRUE(holds(*role, part)) << part << " in " << role->message;
    }
    EXPECT_EQ(role->service_code, "B");
    EXPECT_TRUE(holds(*service(403, "x", "query.eastus.prometheus.monitor.azure.com"), "Monitoring Reader"));
    EXPECT_TRUE(holds(*service(403, "plain words", host), "plain words"));

    EXPECT_EQ(service(302, "", host)->error_class, error_class::security);
    EXPECT_EQ(service(422, R"({"status":"error","errorType":"execution","error":"e"})", host)->status,
              status::rejected);
    EXPECT_EQ(service(422, "{}", host)->error_class, error_class::rejected);
    EXPECT_EQ(service(503, R"({"errorType":"timeout","error":"query timed out"})", host)->error_class,
              error_class::timeout);
    EXPECT_EQ(service(503, "", host)->error_class, error_class::transient);
    EXPECT_EQ(service(529, "", host)->error_class, error_class::throttled);
    EXPECT_FALSE(service(200, "", host));
}

TEST(ServiceError, RetryAfterAndTransport) {
    auto got = answered(429, "{}").last;
    got.response.headers.push_back({"Retry-After", "30"});
    EXPECT_EQ(service_refusal(got, "https://h/")->retry_after_ms, 30'000);
    http::answer broken;
    broken.fault = http::fault::tls_verify;
    EXPECT_EQ(service_refusal(broken, "https://h/")->status, status::security);
}

TEST(Claims, ForDisplay) {
    const std::string body = base64url(R"({"aud":["a","b"],"tid":"t","azp":"c","oid":"o","exp":1760003599})");
    const auto got = read_claims("e30." + body + ".sig");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->audience, "a, b");
    EXPECT_EQ(got->client, "c");
    EXPECT_EQ(got->expires_at_s, 1760003599);
    EXPECT_EQ(list_claims(*got).size(), 5u);
    const auto opaque = read_claims("opaque-token");
    ASSERT_FALSE(opaque);
    EXPECT_FALSE(holds(opaque.failure(), "opaque-token"));
}

TEST(Hosts, OfAnAudience) {
    const audience of = azure_audience(azure_api::managed_prometheus, azure_cloud::public_cloud);
    host_permissions named;
    named.allowed_token_hosts = {"Prom.corp.example"};
    const auto allowed = [&of](const char* url, const host_permissions& with = {}) {
        return check_host(url, of, with).ok();
    };
    EXPECT_TRUE(allowed("https://w-1.eastus.PROMETHEUS.monitor.azure.com/x"));
    EXPECT_TRUE(allowed("https://prometheus.monitor.azure.com"));
    EXPECT_FALSE(allowed("https://evilprometheus.monitor.azure.com/"));
    EXPECT_FALSE(allowed("https://prometheus.monitor.azure.com.evil.example/"));
    EXPECT_FALSE(allowed("https://prom.corp.example/"));
    EXPECT_TRUE(allowed("https://prom.corp.example/", named));
    EXPECT_FALSE(allowed("https://below.prom.corp.example/", named)) << "named hosts are exact";
    EXPECT_FALSE(allowed("http://w.prometheus.monitor.azure.com/"));
    EXPECT_TRUE(allowed("http://127.0.0.1:9090/"));
    EXPECT_TRUE(allowed("https://localhost/"));
    EXPECT_FALSE(allowed("not a url"));
    EXPECT_NE(check_host("http://w.prometheus.monitor.azure.com/", of, {}).failure().message.find("https"),
              std::string::npos);
    EXPECT_NE(check_host("https://h.example/", of, {}).failure().message.find("h.example"), std::string::npos);
}

TEST(TransportFailure, WhatIsNotAllowedIsASecurityError) {
    const error why = transport_failure({http::fault::not_allowed, "a credential does not go to h"}, "h");
    EXPECT_EQ(why.status, status::security);
    EXPECT_EQ(why.error_class, error_class::security);
    EXPECT_FALSE(why.retryable);
}

// unsafeSsl and the name of a private cloud are a manifest's words; the host's identity is not the manifest's to send there.
TEST(Authenticator, TheHostsTokenGoesToVerifiedPeersAlone) {
    const auto only_verified = [](const access& how, const host_permissions& permissions) {
        http::request what;
        what.url = "https://h/";
        EXPECT_TRUE(authenticator(how, permissions, nullptr).prepare(what));
        return what.only_verified;
    };
    access how;
    how.header = bearer_header(secret_text(std::string("t")));
    EXPECT_FALSE(only_verified(how, {})) << "the manifest's own goes where the manifest says";
    host_permissions none_at_all;
    none_at_all.verified_peers = true;
    EXPECT_TRUE(only_verified(how, none_at_all));
    how.of_host = true;
    EXPECT_TRUE(only_verified(how, {}));
    host_permissions allowed;
    allowed.unverified_peers = true;
    EXPECT_FALSE(only_verified(how, allowed));
    allowed.verified_peers = true;
    EXPECT_TRUE(only_verified(how, allowed));
}

TEST(Authenticator, StaticHeadersAndMarks) {
    access how;
    how.header = basic_header("user", secret_text(std::string("pass")));
    const authenticator basic(how, {}, nullptr);
    http::request what;
    what.url = "https://h/";
    what.set("authorization", "from customHeaders");
    ASSERT_TRUE(basic.prepare(what));
    ASSERT_EQ(what.headers.size(), 1u);
    EXPECT_EQ(what.headers[0].value.reveal(), "Basic dXNlcjpwYXNz");
    EXPECT_TRUE(what.carries_credential);

    http::request plain;
    ASSERT_TRUE(authenticator().prepare(plain));
    EXPECT_FALSE(plain.carries_credential);
    plain.set("cookie", "a=b");
    ASSERT_TRUE(authenticator().prepare(plain));
    EXPECT_TRUE(plain.carries_credential);

    EXPECT_EQ(authenticator().key(), "");
    EXPECT_EQ(basic.key().size(), 43u);
    EXPECT_EQ(basic.key(), authenticator(how, {}, nullptr).key());
    how.header = bearer_header(secret_text(std::string("t")));
    EXPECT_NE(basic.key(), authenticator(how, {}, nullptr).key());
    EXPECT_EQ(how.header->value.reveal(), "Bearer t");
}

TEST(Uuid, VersionFour) {
    const std::string uuid = new_uuid();
    ASSERT_EQ(uuid.size(), 36u);
    EXPECT_EQ(uuid[14], '4');
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
    EXPECT_NE(uuid, new_uuid());
}

}  // namespace
}  // namespace gputide::auth
