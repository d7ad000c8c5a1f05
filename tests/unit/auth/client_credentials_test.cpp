// The client credentials grant: where the secret goes, what is remembered, how an answer is read, and what is never said.
#include "acquiring.hpp"
#include "auth/credential.hpp"
#include "auth/open.hpp"
#include "base/encode.hpp"
#include "http/client.hpp"
#include "support/fault_server.hpp"
#include "support/texts.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>

namespace gputide::auth {

namespace {

using gputide::testing::scripted;
using gputide::testing::scripted_fault;
using test::expect_text;

constexpr const char* usual_oauth_answer = R"({"access_token":"T1","expires_in":3600,"token_type":"Bearer"})";
constexpr const char* invalid_client = R"({"error":"invalid_client"})";
const std::string oauth_secret = "s3cr3t value&more";

std::string authorization_of(const http::request& sent) {
    const http::header* found = sent.find("Authorization");
    return found == nullptr ? "" : std::string(found->value.reveal());
}

class ClientCredentials : public test::Acquiring {
  protected:
    client_credentials_settings wanted{.token_url = secret_text(std::string("https://login.test/token?a=b")),
                                       .client_id = secret_text(std::string("i:d")),
                                       .client_secret = secret_text(oauth_secret),
                                       .scope = {},
                                       .parameters = {},
                                       .tls = nullptr,
                                       .timeout_ms = 0,
                                       .is_cluster_wide = false};

    std::shared_ptr<credential> open() {
        auto out = open_client_credentials(wanted, permissions);
        EXPECT_TRUE(out) << test::message_of(out);
        return out ? *out : nullptr;
    }
    http::request sent(std::size_t index) const { return loop->requests().at(index).what; }
    std::string form(std::size_t index) const { return std::string(sent(index).body.reveal()); }
};

TEST_F(ClientCredentials, TheSecretGoesIntoTheHeaderFirst) {
    wanted.scope = "read write";
    wanted.parameters = {{"audience", secret_text(std::string("a b"))}, {"x&y", secret_text(std::string("1"))}};
    wanted.timeout_ms = 1'500;
    loop->answer_next(scripted(200, usual_oauth_answer));
    EXPECT_EQ(value_of(acquire(*open())), "T1");
    EXPECT_EQ(sent(0).method, "POST");
    EXPECT_EQ(sent(0).url, "https://login.test/token?a=b");
    EXPECT_EQ(authorization_of(sent(0)), "Basic " + base64("i%3Ad:s3cr3t+value%26more"));
    EXPECT_EQ(form(0), "grant_type=client_credentials&scope=read%20write&audience=a%20b&x%26y=1");
    EXPECT_EQ(sent(0).attempt_timeout_ms, 1'500);
    EXPECT_TRUE(sent(0).carries_credential);
}

TEST_F(ClientCredentials, TheFormComesNextAndIsRemembered) {
    const auto opened = open();
    loop->answer_next(scripted(401, invalid_client));
    loop->answer_next(scripted(200, usual_oauth_answer));
    loop->answer_next(scripted(200, usual_oauth_answer));
    EXPECT_EQ(value_of(acquire(*opened)), "T1");
    EXPECT_EQ(authorization_of(sent(1)), "");
    expect_text(form(1), {"client_id=i%3Ad", "client_secret=s3cr3t%20value%26more"});
    EXPECT_EQ(value_of(acquire(*opened)), "T1");
    ASSERT_EQ(loop->requests().size(), 3U);
    EXPECT_EQ(form(2), form(1));
}

// KEDA builds the scaler anew after a failed read, and asks in both ways again.
TEST_F(ClientCredentials, WhatWorkedLongAgoIsForgottenByAFailure) {
    const auto opened = open();
    loop->answer_next(scripted(200, usual_oauth_answer));
    EXPECT_TRUE(acquire(*opened));
    loop->answer_next(scripted(401, invalid_client));
    EXPECT_FALSE(acquire(*opened));
    EXPECT_EQ(loop->requests().size(), 2U);  // one way alone
    loop->advance(30'000);
    loop->answer_next(scripted(401, invalid_client));
    EXPECT_FALSE(acquire(*opened));
    loop->answer_next(scripted(401, invalid_client));
    loop->answer_next(scripted(200, usual_oauth_answer));
    EXPECT_TRUE(acquire(*opened));
    EXPECT_EQ(loop->requests().size(), 5U);
}

TEST_F(ClientCredentials, WithoutASecretTheIdStandsInTheForm) {
    wanted.client_secret = {};
    const auto opened = open();
    loop->answer_next(scripted(401, invalid_client));
    EXPECT_FALSE(acquire(*opened));
    ASSERT_EQ(loop->requests().size(), 1U);
    EXPECT_EQ(authorization_of(sent(0)), "");
    EXPECT_EQ(form(0), "grant_type=client_credentials&client_id=i%3Ad");
}

TEST_F(ClientCredentials, ParametersMayReplaceTheGrantAndNotTheScope) {
    wanted.client_secret = {};
    wanted.parameters = {{"grant_type", secret_text(std::string("mine"))},
                         {"client_id", secret_text(std::string("x"))}};
    loop->answer_next(scripted(200, usual_oauth_answer));
    EXPECT_TRUE(acquire(*open()));
    EXPECT_EQ(form(0), "grant_type=mine&client_id=i%3Ad");
    wanted.scope = "a";
    wanted.parameters = {{"scope", secret_text(std::string("b"))}};
    expect_text(value_of(acquire(*open())), {"(config)", "cannot overwrite parameter \"scope\""});
    EXPECT_EQ(loop->requests().size(), 1U);
}

TEST_F(ClientCredentials, ErrorsRepeatNoSecret) {
    wanted.parameters = {{"assertion", secret_text(std::string("another-secret"))}};
    const std::string pair = base64("i%3Ad:s3cr3t+value%26more");
    const std::string echo =
        R"({"error":"invalid_client","error_description":"s3cr3t value&more s3cr3t+value%26more another-secret )" +
        pair + R"("})";
    loop->answer_with([&echo](const http::request&) { return scripted(401, echo); });
    const auto got = acquire(*open());
    ASSERT_FALSE(got);
    const std::string& text = got.failure().message;
    expect_text(text, {"https://login.test/token answered with HTTP 401 (invalid_client)", "***"});
    for (const std::string& part : {std::string("s3cr3t"), std::string("another-secret"), pair, std::string("a=b")})
        EXPECT_EQ(text.find(part), std::string::npos) << text;
}

TEST_F(ClientCredentials, ARedirectIsNotFollowed) {
    loop->answer_with([](const http::request&) { return scripted(307, "", {{"Location", "https://evil.test/"}}); });
    const auto got = acquire(*open());
    ASSERT_FALSE(got);
    expect_text(got.failure().message, {"a redirect; it was not followed"});
    for (const auto& request : loop->requests()) EXPECT_EQ(request.what.url.find("https://login.test/"), 0U);
}

TEST_F(ClientCredentials, AFaultIsTriedInTheOtherWayAndTheDeadlineEndsBoth) {
    const auto opened = open();
    loop->answer_next(scripted_fault(http::fault::reset));
    loop->answer_next(scripted(200, usual_oauth_answer));
    EXPECT_TRUE(acquire(*opened));
    auto slow = scripted(500, "");
    slow.delay_ms = 5'000;
    loop->answer_next(slow);
    const auto late = open();
    EXPECT_FALSE(acquire(*late, "", loop->steady_ms() + 1'000));
    EXPECT_EQ(loop->requests().size(), 3U);
}

TEST_F(ClientCredentials, UrlsThatASecretMayGoTo) {
    const struct {
        const char* url;
        bool plain_http;
        const char* part;  // null: allowed
    } rows[] = {{"https://login.test/token", false, nullptr},
                {"http://127.0.0.1:8080/token", false, nullptr},
                {"http://[::1]/token", false, nullptr},
                {"http://login.test/token", true, nullptr},
                {"http://login.test/token", false, "not sent to host login.test over http"},
                {"https://user:pass@login.test/token", false, "without user information"},
                {"https://login.test/token#x", false, "#fragment"},
                {"login.test/token", false, "expected a URL"},
                {"ftp://login.test/token", true, "expected a URL"},
                {"", false, "expected a URL"}};
    for (const auto& row : rows) {
        wanted.token_url = secret_text(std::string(row.url));
        permissions.allow_plain_http = row.plain_http;
        const auto got = open_client_credentials(wanted, permissions);
        EXPECT_EQ(got.ok(), row.part == nullptr) << row.url;
        if (!got) expect_text(got.failure().message, {row.part == nullptr ? "" : row.part});
    }
}

TEST_F(ClientCredentials, ATenantNeedsTheHostsWord) {
    tenant_grants grants;
    const auto as_tenant = [&] {
        permissions.tenant = tenant(std::make_shared<const tenant_grants>(grants), "ml");
        return open_client_credentials(wanted, permissions);
    };
    EXPECT_TRUE(as_tenant());
    wanted.token_url = secret_text(std::string("http://127.0.0.1:1/token"));
    expect_text(test::message_of(as_tenant()), {"--allow-tenant loopback_tokens=ml"});
    grants.namespaces[static_cast<std::size_t>(capability::loopback_tokens)] = {"ml"};
    EXPECT_TRUE(as_tenant());

    wanted.token_url = secret_text(std::string("https://login.test/token"));
    grants.limits_cluster_secrets = true;
    EXPECT_TRUE(as_tenant());  // its own secret
    wanted.is_cluster_wide = true;
    expect_text(test::message_of(as_tenant()), {"not sent to host login.test", "--cluster-secret-host login.test"});
    grants.cluster_secret_hosts = {"login.test"};
    EXPECT_TRUE(as_tenant());
}

TEST_F(ClientCredentials, EqualKeysAskForTheSame) {
    const std::string first = open()->cache_key();
    EXPECT_EQ(open()->cache_key(), first);
    EXPECT_EQ(first.find("s3cr3t"), std::string::npos);
    wanted.scope = "x";
    const std::string scoped = open()->cache_key();
    EXPECT_NE(scoped, first);
    wanted.client_secret = secret_text(std::string("other"));
    EXPECT_NE(open()->cache_key(), scoped);
}

// A refused token that is new would be refused again.
TEST_F(ClientCredentials, TheCacheKeepsANewTokenThatIsRefused) {
    token_cache cache(loop);
    const auto opened = open();
    loop->answer_with([](const http::request&) { return scripted(200, usual_oauth_answer); });
    const auto get = [&] {
        cache.get(opened, "s", loop->steady_ms() + 60'000, [](const result<token>&) {});
        loop->run_until_idle();
    };
    get();
    EXPECT_FALSE(cache.report_refused(*opened, "s", "T1"));
    get();
    EXPECT_EQ(loop->requests().size(), 1U);
    loop->advance(30'000);
    EXPECT_TRUE(cache.report_refused(*opened, "s", "T1"));
    get();
    EXPECT_EQ(loop->requests().size(), 2U);
}

// ---- answers ------------------------------------------------------------------------------------------------------------
result<token> read_oauth(const std::string& body, const std::string& type = "application/json") {
    http::response response;
    response.status = 200;
    response.body = body;
    response.headers = {{"Content-Type", type}};
    return read_oauth_answer(response, {1'000'000, 5'000}, "https://login.test/token");
}

TEST(OAuthAnswer, TheEndIsTenSecondsAhead) {
    const auto usable_s = [](const std::string& life) {
        const auto got = read_oauth(R"({"access_token":"T","expires_in":)" + life + "}");
        EXPECT_TRUE(got) << test::message_of(got);
        return (got->usable_until_ms - got->issued_at_ms) / 1000;
    };
    EXPECT_EQ(usable_s("3600"), 3'590);
    EXPECT_EQ(usable_s("\"11\""), 1);
    EXPECT_EQ(usable_s("10"), 0);
    EXPECT_EQ(usable_s("-5"), -10);
    EXPECT_EQ(usable_s("0"), longest_life_s - 10);  // no end
    EXPECT_EQ(usable_s("null"), longest_life_s - 10);
    EXPECT_EQ(usable_s("99999999999"), longest_life_s - 10);
    const auto endless = read_oauth(R"({"access_token":"T"})");
    EXPECT_EQ(endless->refresh_at_ms, endless->usable_until_ms);
}

TEST(OAuthAnswer, TypesAndFormats) {
    const auto type_of = [](const std::string& type) {
        return read_oauth(R"({"access_token":"T","token_type":")" + type + "\"}")->type;
    };
    EXPECT_EQ(type_of("bEARER"), "Bearer");
    EXPECT_EQ(type_of("mac"), "MAC");
    EXPECT_EQ(type_of("Splunk"), "Splunk");
    EXPECT_EQ(type_of(""), "");
    const auto form = read_oauth("access_token=a%2Bb&token_type=bearer&expires_in=20", "text/plain; charset=utf-8");
    ASSERT_TRUE(form);
    EXPECT_EQ(form->value.reveal(), "a+b");
    EXPECT_EQ(form->type, "Bearer");
    EXPECT_EQ(form->usable_until_ms - form->issued_at_ms, 10'000);
}

TEST(OAuthAnswer, WhatIsNoToken) {
    const struct {
        const char* body;
        const char* type;
        const char* part;
    } rows[] = {
        {R"({"token_type":"Bearer"})", "application/json", "no access_token"},
        {R"({"access_token":"","expires_in":1})", "application/json", "no access_token"},
        {R"({"access_token":"abcdef","error":"slow_down"})", "application/json", "the server says \"slow_down\""},
        {R"({"access_token":"T","expires_in":"soon"})", "application/json", "not a whole number"},
        {R"({"access_token":"a\nb"})", "application/json", "control characters"},
        {R"({"access_token":"T","token_type":"a\r\nX: y"})", "application/json", "control characters"},
        {"<html>", "text/html", "not a JSON object"},
        {"error=denied", "application/x-www-form-urlencoded", "the server says \"denied\""},
        {"access_token=%zz", "text/plain", "not a JSON object"}};
    for (const auto& row : rows) {
        const auto got = read_oauth(row.body, row.type);
        ASSERT_FALSE(got) << row.body;
        expect_text(got.failure().message, {row.part});
        EXPECT_EQ(got.failure().message.find("abcdef"), std::string::npos);
    }
}

}  // namespace

// The client credentials grant over real connections: a token server on loopback.

namespace {

using gputide::testing::answering;
using gputide::testing::fault_server;
using gputide::testing::holds;
using gputide::testing::plain_answer;

constexpr std::int64_t max_token_wait_ms = 20'000;

result<token> acquire_from(const std::string& url) {
    const auto client = http::client::open();
    if (!client) return client.failure();
    client_credentials_settings wanted;
    wanted.token_url = secret_text(url);
    wanted.client_id = secret_text(std::string("id"));
    wanted.client_secret = secret_text(std::string("hunter2"));
    const auto opened = open_client_credentials(wanted, {});
    if (!opened) return opened.failure();
    std::optional<result<token>> got;
    std::atomic<bool> is_over{false};
    const std::int64_t deadline_ms = (*client)->steady_ms() + max_token_wait_ms;
    (*opened)->acquire(**client, "", deadline_ms, [&](result<token> outcome) {
        got = std::move(outcome);
        is_over = true;
    });
    (*client)->drive([&] { return is_over.load(); }, deadline_ms + 5'000);
    if (!got) return fail(status::timeout, "no callback");
    return *std::move(got);
}

TEST(ClientCredentialsOverLoopback, AServerThatWantsTheSecretInTheForm) {
    fault_server server(answering([](const std::string& request) {
        if (holds(request, "Authorization: Basic aWQ6aHVudGVyMg==\r\n"))
            return plain_answer(R"({"error":"invalid_client"})", "401 Unauthorized");
        if (!holds(request, "POST /token?a=b HTTP/1.1\r\n") || !holds(request, "client_secret=hunter2"))
            return plain_answer("", "400 Bad Request");
        return plain_answer(R"({"access_token":"T1","expires_in":3600})", "200 OK",
                            "Content-Type: application/json\r\n");
    }));
    const auto got = acquire_from(server.url("/token?a=b"));
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->value.reveal(), "T1");
    EXPECT_EQ(server.requests(), 2);
}

TEST(ClientCredentialsOverLoopback, TheSecretDoesNotFollowARedirect) {
    fault_server other(answering([](const std::string&) { return plain_answer(R"({"access_token":"stolen"})"); }));
    fault_server server(answering([&other](const std::string&) {
        return plain_answer("", "307 Temporary Redirect", "Location: " + other.url("/token") + "\r\n");
    }));
    const auto got = acquire_from(server.url("/token"));
    ASSERT_FALSE(got);
    EXPECT_TRUE(holds(got.failure().message, "a redirect; it was not followed")) << got.failure().message;
    EXPECT_EQ(other.requests(), 0);
}

}  // namespace

}  // namespace gputide::auth
