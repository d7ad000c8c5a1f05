// Whole fetches over a scripted loop: tokens, repeats, deadlines, what errors say and what they never say.
#include "support.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace gputide {
namespace {

using testing::prometheus_trigger;
using testing::scripted;
using testing::scripted_fault;
using testing::vector_of;
using testing::with_auth;

constexpr std::int64_t noon_ms = 1'760'000'000'000;
constexpr std::string_view secret = "s3cr3t-value-that-nobody-sees";

// An Azure pod: environment and projected token.
class pod final : public auth::surroundings {
  public:
    std::optional<std::string> environment(const std::string& name) const override {
        if (name == "AZURE_CLIENT_ID") return "11111111-1111-1111-1111-111111111111";
        if (name == "AZURE_TENANT_ID") return "22222222-2222-2222-2222-222222222222";
        if (name == "AZURE_FEDERATED_TOKEN_FILE") return "/var/run/token";
        if (name == "AZURE_AUTHORITY_HOST") return "https://login.microsoftonline.com/";
        return std::nullopt;
    }
    result<secret_text> read_file(const std::string& path, std::size_t) const override {
        if (path != "/var/run/token") return fail(status::invalid, path + ": No such file or directory");
        return secret_text(std::string("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln"));
    }
};

class Fetching : public ::testing::Test {
  protected:
    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    source::services services{.loop = loop,
                              .tokens = std::make_shared<auth::token_cache>(loop),
                              .host = std::make_shared<pod>(),
                              .permissions = {}};
    manifest::trigger_rules rules;
    source::detail wanted = source::detail::value;

    source::fetched fetch(const manifest::trigger& from, std::int64_t timeout_ms = 10'000) {
        auto opened = testing::open_source(from, rules, manifest::profile::standard, services);
        EXPECT_TRUE(opened) << (opened ? "" : opened.failure().message);
        std::optional<source::fetched> out;
        bool inside = true;
        (*opened)->fetch(
            noon_ms, loop->steady_ms() + timeout_ms,
            [&](source::fetched got) {
                EXPECT_FALSE(inside) << "done ran inside the call";
                EXPECT_FALSE(out) << "done ran twice";
                out = std::move(got);
            },
            wanted);
        inside = false;
        loop->run_until_idle();
        EXPECT_TRUE(out);
        return out.value_or(source::fetched());
    }

    std::size_t asked() const { return loop->requests().size(); }
};

TEST_F(Fetching, OneValue) {
    loop->answer_next(scripted(200, vector_of({"42"})));
    const auto got = fetch(prometheus_trigger());
    EXPECT_EQ(got.sample.state, sample_state::ok);
    EXPECT_EQ(got.sample.value, 42.0);
    EXPECT_TRUE(got.reading.series.empty());  // they were not asked for
    ASSERT_EQ(asked(), 1U);
    EXPECT_EQ(loop->requests()[0].what.attempt_timeout_ms, 3'000);
}

manifest::trigger oauth_trigger(const testing::metadata& more = {}) {
    testing::metadata keys{{"serverAddress", "https://prom.test"}, {"authModes", "oauth"}};
    for (const auto& [key, value] : more) keys[key] = value;
    return with_auth(prometheus_trigger(keys), {{"oauthTokenURI", "https://login.test/token"},
                                                {"clientID", "id"},
                                                {"clientSecret", std::string(secret)},
                                                {"customAuthHeader", "X-Scope-OrgID"},
                                                {"customAuthValue", "team"}});
}

std::string header_in(const http::request& sent, std::string_view name) {
    const http::header* found = sent.find(name);
    return found == nullptr ? "(none)" : std::string(found->value.reveal());
}

TEST_F(Fetching, OAuthSendsItsTokenBesideACustomHeader) {
    loop->answer_next(scripted(200, R"({"access_token":"T1","token_type":"Splunk"})"));
    loop->answer_next(scripted(200, vector_of({"42"})));
    EXPECT_EQ(fetch(oauth_trigger({{"authModes", "oauth,custom"}})).sample.value, 42.0);
    ASSERT_EQ(asked(), 2U);
    EXPECT_EQ(header_in(loop->requests()[1].what, "Authorization"), "Splunk T1");
    EXPECT_EQ(header_in(loop->requests()[1].what, "X-Scope-OrgID"), "team");
    EXPECT_EQ(header_in(loop->requests()[0].what, "X-Scope-OrgID"), "(none)");
    loop->answer_next(scripted(200, vector_of({"43"})));
    EXPECT_EQ(fetch(oauth_trigger({{"authModes", "oauth,custom"}})).sample.value, 43.0);
    EXPECT_EQ(asked(), 3U);  // the token is kept
}

// Like KEDA, which builds the scaler anew after a failed read.
TEST_F(Fetching, AnOldTokenThatIsRefusedIsRenewedOnce) {
    int tokens = 0;
    bool first_counts = true;
    loop->answer_with([&](const http::request& sent) {
        if (sent.url.find("https://login.test/") == 0)
            return scripted(200, R"({"access_token":"T)" + std::to_string(++tokens) + "\"}");
        const bool is_first = header_in(sent, "Authorization") == "Bearer T1";
        return is_first && !first_counts ? scripted(401, "") : scripted(200, vector_of({"5"}));
    });
    EXPECT_EQ(fetch(oauth_trigger()).sample.value, 5.0);
    first_counts = false;
    loop->advance(30'000);
    EXPECT_EQ(fetch(oauth_trigger()).sample.value, 5.0);
    EXPECT_EQ(asked(), 5U);  // token, query; query, token, query
}

TEST_F(Fetching, WithoutATokenPrometheusIsNotAsked) {
    loop->answer_with([](const http::request&) { return scripted(401, "denied: " + std::string(secret)); });
    const auto got = fetch(oauth_trigger());
    EXPECT_EQ(got.why.status, status::auth);
    EXPECT_EQ(asked(), 2U);  // the token, both ways
    EXPECT_NE(got.why.message.find("https://login.test/token answered with HTTP 401"), std::string::npos)
        << got.why.message;
    EXPECT_EQ(got.why.message.find(secret), std::string::npos) << got.why.message;
}

TEST_F(Fetching, ATenantsManifestTakesNoClusterSecretElsewhere) {
    auth::tenant_grants grants;
    grants.limits_cluster_secrets = true;
    grants.cluster_secret_hosts = {"login.test"};
    services.permissions.tenant = auth::tenant(std::make_shared<const auth::tenant_grants>(grants), "ml");
    manifest::trigger from = oauth_trigger();
    from.auth.is_cluster_wide = true;
    const auto got = fetch(from);  // the token of that secret would go to prom.test
    EXPECT_NE(got.why.message.find("--cluster-secret-host prom.test"), std::string::npos) << got.why.message;
    EXPECT_EQ(asked(), 0U);
    from.auth.parameters["oauthTokenURI"] = secret_text(std::string("https://evil.test/token"));
    const auto opened = testing::open_source(from, {}, manifest::profile::standard, services);
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.failure().message.find("not sent to host evil.test"), std::string::npos);
}

TEST_F(Fetching, Everything) {
    wanted = source::detail::everything;
    loop->answer_next(scripted(200, vector_of({"1", "2"})));
    const auto got = fetch(prometheus_trigger());
    EXPECT_EQ(got.sample.state, sample_state::ambiguous);
    ASSERT_EQ(got.reading.series.size(), 2U);
    EXPECT_EQ(got.reading.series[1].labels.front().second, "1");
}

TEST_F(Fetching, ABusyServerIsAskedOnceMore) {
    loop->answer_next(scripted(503, "Service Unavailable"));
    loop->answer_next(scripted(200, vector_of({"5"})));
    EXPECT_EQ(fetch(prometheus_trigger()).sample.value, 5.0);
    EXPECT_EQ(asked(), 2U);
}

TEST_F(Fetching, ABrokenConnectionIsTriedOnceMore) {
    loop->answer_next(scripted_fault(http::fault::reset, "closed"));
    loop->answer_next(scripted_fault(http::fault::reset, "closed"));
    const auto got = fetch(prometheus_trigger());
    EXPECT_EQ(got.why.status, status::unavailable);
    EXPECT_TRUE(got.why.retryable);
    EXPECT_EQ(asked(), 2U);
}

TEST_F(Fetching, AHeavyQueryAndAWrongOneAreNotRepeated) {
    loop->answer_next(scripted(503, R"({"status":"error","errorType":"timeout","error":"query timed out"})"));
    EXPECT_EQ(fetch(prometheus_trigger()).why.status, status::unavailable);
    EXPECT_EQ(asked(), 1U);
    loop->answer_next(scripted(400, R"({"status":"error","errorType":"bad_data","error":"parse error: oh"})"));
    const auto got = fetch(prometheus_trigger());
    EXPECT_EQ(got.why.status, status::rejected);
    EXPECT_EQ(asked(), 2U);
    EXPECT_EQ(got.why.where.text(), prometheus_trigger().label());
    EXPECT_EQ(got.why.message.find("http://prometheus:9090/api/v1/query: answered HTTP 400"), 0U) << got.why.message;
    EXPECT_NE(got.why.message.find("parse error: oh"), std::string::npos);
}

TEST_F(Fetching, AThrottlingServerIsGivenItsTime) {
    loop->answer_with([](const http::request&) { return scripted(429, "slow down", {{"Retry-After", "30"}}); });
    const auto got = fetch(prometheus_trigger());
    EXPECT_EQ(got.why.status, status::throttled);
    EXPECT_EQ(got.sample.state, sample_state::failed);
    EXPECT_EQ(got.why.retry_at_ms, loop->wall_ms() + 30'000);
    EXPECT_EQ(asked(), 1U);
}

TEST_F(Fetching, AShortWaitIsTakenWithinTheCall) {
    loop->answer_next(scripted(429, "", {{"Retry-After", "2"}}));
    loop->answer_next(scripted(200, vector_of({"5"})));
    EXPECT_EQ(fetch(prometheus_trigger()).sample.value, 5.0);
    EXPECT_EQ(loop->requests()[1].sent_at_ms - loop->requests()[0].sent_at_ms, 2'000);
}

TEST_F(Fetching, TheDeadlineEndsIt) {
    auto slow = scripted(200, vector_of({"5"}));
    slow.delay_ms = 60'000;
    loop->answer_with([slow](const http::request&) { return slow; });
    const auto got = fetch(prometheus_trigger(), 1'000);
    EXPECT_EQ(got.sample.state, sample_state::timeout);
    EXPECT_EQ(got.why.status, status::timeout);
    EXPECT_EQ(asked(), 1U);
}

TEST_F(Fetching, APageAndACutBodyAreErrors) {
    loop->answer_next(scripted(200, "<html>sign in</html>", {{"Content-Type", "text/html"}}));
    EXPECT_EQ(fetch(prometheus_trigger()).why.error_class, error_class::not_json);
    const std::string whole = vector_of({"5"});
    loop->answer_next(scripted(200, whole.substr(0, whole.size() - 1)));
    const auto cut = fetch(prometheus_trigger());
    EXPECT_EQ(cut.why.error_class, error_class::not_json);
    EXPECT_TRUE(cut.why.retryable);
}

TEST_F(Fetching, EmptyFollowsIgnoreNullValues) {
    loop->answer_next(scripted(200, vector_of({})));
    EXPECT_TRUE(fetch(prometheus_trigger()).sample.null_as_zero);
    loop->answer_next(scripted(200, vector_of({})));
    const auto got = fetch(prometheus_trigger({{"ignoreNullValues", "false"}}));
    EXPECT_EQ(got.sample.state, sample_state::empty);
    EXPECT_EQ(got.why.status, status::no_data);
}

TEST_F(Fetching, ARedirectIsNotFollowed) {
    const auto away = scripted(302, "", {{"Location", "https://login.example/authorize?nonce=1"}});
    loop->answer_next(away);
    const auto open_handed = fetch(prometheus_trigger());
    EXPECT_EQ(open_handed.why.status, status::protocol);
    EXPECT_NE(open_handed.why.message.find("https://login.example/authorize"), std::string::npos);
    EXPECT_EQ(open_handed.why.message.find("nonce"), std::string::npos);
    loop->answer_next(away);
    const auto with_token = fetch(with_auth(
        prometheus_trigger({{"serverAddress", "https://p"}, {"authModes", "bearer"}}), {{"bearerToken", "t0ken"}}));
    EXPECT_EQ(with_token.why.status, status::security);
    EXPECT_EQ(asked(), 2U);
}

TEST_F(Fetching, PlainHttpDoesNotCarryACredentialAway) {
    const auto got = fetch(with_auth(prometheus_trigger({{"authModes", "bearer"}}), {{"bearerToken", "t0ken"}}));
    EXPECT_EQ(got.why.status, status::security) << got.why.message;
    EXPECT_EQ(asked(), 0U);
}

TEST_F(Fetching, ASecretThatThePeerEchoesIsNotPassedOn) {
    const std::string echo = "you sent " + std::string(secret);
    for (const std::string& body :
         {echo, R"({"status":"error","errorType":")" + std::string(secret) + R"(","error":")" + echo + R"("})",
          "<html>" + echo + "</html>"}) {
        for (const std::int32_t status : {200, 400, 401}) {
            for (const char* mode : {"bearer", "basic", "custom"}) {
                loop->answer_next(scripted(status, body));
                const auto got =
                    fetch(with_auth(prometheus_trigger({{"serverAddress", "https://u:" + std::string(secret) + "@p"},
                                                        {"authModes", mode}}),
                                    {{"bearerToken", std::string(secret)},
                                     {"username", "u"},
                                     {"password", std::string(secret)},
                                     {"customAuthHeader", "X-Key"},
                                     {"customAuthValue", std::string(secret)}}));
                ASSERT_NE(got.why.status, status::ok);
                std::string texts =
                    got.why.message + got.why.where.text() + got.why.service_code + detail_json(got.why);
                EXPECT_EQ(texts.find(secret), std::string::npos) << texts;
            }
        }
    }
}

TEST_F(Fetching, CancellingEndsItWithoutAWord) {
    loop->answer_next(scripted(200, vector_of({"5"})));
    auto opened = testing::open_source(prometheus_trigger(), rules, manifest::profile::standard, services);
    ASSERT_TRUE(opened);
    bool ran = false;
    (*opened)->fetch(noon_ms, loop->steady_ms() + 1'000, [&](source::fetched) { ran = true; })->cancel();
    loop->run_until_idle();
    EXPECT_FALSE(ran);
    EXPECT_EQ(loop->pending(), 0U);
}

TEST_F(Fetching, TheSourceMayGoWhileItIsAsked) {
    loop->answer_next(scripted(200, vector_of({"5"})));
    double value = 0.0;
    {
        auto opened = testing::open_source(prometheus_trigger(), rules, manifest::profile::standard, services);
        ASSERT_TRUE(opened);
        (*opened)->fetch(noon_ms, loop->steady_ms() + 1'000, [&](source::fetched got) { value = got.sample.value; });
    }
    loop->run_until_idle();
    EXPECT_EQ(value, 5.0);
}

// ---- maximum age ------------------------------------------------------------------------------------------------------
TEST_F(Fetching, AMaximumAgeAsksASecondQuery) {
    rules.max_age_ms = 60'000;
    loop->answer_with([](const http::request& what) {
        const bool age = what.url.find("timestamp") != std::string::npos;
        return scripted(200, vector_of({age ? "1759999950" : "7"}));
    });
    const auto got = fetch(prometheus_trigger());
    EXPECT_EQ(asked(), 2U);
    EXPECT_EQ(got.sample.state, sample_state::ok);
    EXPECT_EQ(got.sample.value, 7.0);
    EXPECT_EQ(got.sample.time_ms, 1'759'999'950'000);
    rules.max_age_ms = 10'000;
    const auto old = fetch(prometheus_trigger());
    EXPECT_EQ(old.sample.state, sample_state::stale);
    EXPECT_EQ(old.why.where.text(), prometheus_trigger().label());
    EXPECT_NE(old.why.message.find("50s old"), std::string::npos) << old.why.message;
}

TEST_F(Fetching, AnAgeThatCannotBeReadIsAnError) {
    rules.max_age_ms = 60'000;
    loop->answer_with([](const http::request& what) {
        const bool age = what.url.find("timestamp") != std::string::npos;
        return age ? scripted(422, "no") : scripted(200, vector_of({"7"}));
    });
    const auto got = fetch(prometheus_trigger());
    EXPECT_EQ(got.sample.state, sample_state::failed);
    EXPECT_EQ(got.why.status, status::rejected);
}

// ---- Azure Managed Prometheus -----------------------------------------------------------------------------------------
manifest::trigger azure_trigger(const std::string& address = "https://w-1.eastus.prometheus.monitor.azure.com") {
    manifest::trigger out = prometheus_trigger({{"serverAddress", address}});
    out.auth.provider = "azure-workload";
    return out;
}

bool to_login(const http::request& what) { return what.url.find("login.microsoftonline.com") != std::string::npos; }

testing::scripted_answer token_answer(int number) {
    return scripted(200, R"({"token_type":"Bearer","expires_in":3600,"access_token":"tok-)" + std::to_string(number) +
                             R"(-abcdefgh"})");
}

std::string authorization(const http::request& from) {
    const http::header* found = from.find("Authorization");
    return found == nullptr ? "" : std::string(found->value.reveal());
}

TEST_F(Fetching, AzureGetsATokenOfItsAudience) {
    loop->answer_with(
        [](const http::request& what) { return to_login(what) ? token_answer(1) : scripted(200, vector_of({"9"})); });
    EXPECT_EQ(fetch(azure_trigger()).sample.value, 9.0);
    const auto requests = loop->requests();
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_NE(requests[0].what.body.reveal().find("prometheus.monitor.azure.com"), std::string_view::npos);
    EXPECT_EQ(authorization(requests[1].what), "Bearer tok-1-abcdefgh");
}

TEST_F(Fetching, ARefusedTokenIsRenewedOnce) {
    int tokens = 0;
    loop->answer_with([&tokens](const http::request& what) {
        if (to_login(what)) return token_answer(++tokens);
        if (authorization(what) == "Bearer tok-1-abcdefgh") return scripted(401, "expired");
        return scripted(200, vector_of({"9"}));
    });
    EXPECT_EQ(fetch(azure_trigger()).sample.value, 9.0);
    EXPECT_EQ(tokens, 2);
}

TEST_F(Fetching, AServerThatRefusesEveryTokenIsNotAskedForEver) {
    int tokens = 0;
    loop->answer_with([&tokens](const http::request& what) {
        return to_login(what) ? token_answer(++tokens) : scripted(401, "no: " + authorization(what));
    });
    const auto got = fetch(azure_trigger());
    EXPECT_EQ(got.sample.state, sample_state::auth);
    EXPECT_EQ(got.why.status, status::auth);
    EXPECT_EQ(tokens, 2);
    EXPECT_EQ(asked(), 4U);
    EXPECT_EQ(got.why.message.find("tok-"), std::string::npos) << got.why.message;
}

TEST_F(Fetching, ATokenGoesToNoOtherHost) {
    loop->answer_with([](const http::request&) { return token_answer(1); });
    for (const char* address : {"https://evil.example", "http://w.eastus.prometheus.monitor.azure.com",
                                "https://evilprometheus.monitor.azure.com.evil.example"}) {
        const auto got = fetch(azure_trigger(address));
        EXPECT_EQ(got.why.status, status::invalid) << address;
        EXPECT_EQ(got.why.where.text(), azure_trigger().label());
    }
    EXPECT_EQ(asked(), 0U);
}

TEST_F(Fetching, AWrongQueryKeepsItsRemedyBehindACloudToken) {
    loop->answer_with([](const http::request& what) {
        if (to_login(what)) return token_answer(1);
        return scripted(400, R"({"status":"error","errorType":"bad_data","error":"1:4: parse error: oh"})");
    });
    const auto got = fetch(azure_trigger());
    EXPECT_EQ(got.why.status, status::rejected);
    EXPECT_NE(got.why.message.find("1:4: parse error: oh"), std::string::npos) << got.why.message;
    EXPECT_NE(got.why.message.find("Correct the trigger's query"), std::string::npos) << got.why.message;
}

TEST_F(Fetching, EveryIdentityOfAzureServesATrigger) {
    loop->answer_with([](const http::request& what) {
        const bool login = what.url.find("login.microsoftonline.us") != std::string::npos || to_login(what);
        return login || what.url.find("169.254.169.254") != std::string::npos ? token_answer(1)
                                                                              : scripted(200, vector_of({"9"}));
    });
    auto machine = azure_trigger();
    machine.auth.provider = "azure-managed-identity";
    EXPECT_EQ(fetch(machine).sample.value, 9.0);
    EXPECT_NE(loop->requests()[0].what.url.find("resource=https%3A%2F%2Fprometheus.monitor.azure.com"),
              std::string::npos);

    auto application = with_auth(azure_trigger("https://w.usgovvirginia.prometheus.monitor.azure.us"),
                                 {{"tenantId", "t"}, {"clientId", "c"}, {"clientSecret", "s"}});
    application.auth.provider = "azure-client-secret";
    application.metadata["cloud"] = "AzureUSGovernment";
    EXPECT_EQ(fetch(application).sample.value, 9.0);
    EXPECT_EQ(loop->requests()[2].what.url, "https://login.microsoftonline.us/t/oauth2/v2.0/token")
        << "the trigger's cloud names the authority";
    auto chain = azure_trigger();
    chain.auth.provider = "azure-default";
    EXPECT_EQ(fetch(chain).sample.value, 9.0);
}

// The trigger is a tenant's; the application and its secret are a ClusterTriggerAuthentication's.
TEST_F(Fetching, AnAuthorityOfATenantGetsNoSecretOfTheCluster) {
    auth::tenant_grants grants;
    grants.limits_cluster_secrets = true;
    services.permissions.allow_custom_authority = true;
    services.permissions.tenant = auth::tenant(std::make_shared<const auth::tenant_grants>(grants), "ml");
    manifest::trigger logs;
    logs.type = "azure-log-analytics";
    logs.metadata = {
        {"query", "T | count"}, {"threshold", "5"}, {"workspaceId", "12345678-1234-1234-1234-123456789abc"}};
    logs = with_auth(logs, {{"tenantId", "t"}, {"clientId", "c"}, {"clientSecret", std::string(secret)}});
    logs.auth.is_cluster_wide = true;
    const auto message = [&](const manifest::trigger& from) {
        const auto opened = testing::open_source(from, rules, manifest::profile::standard, services);
        return opened ? std::string() : opened.failure().message;
    };
    EXPECT_EQ(message(logs), "") << "the known login hosts";
    logs.metadata["activeDirectoryEndpoint"] = "https://login.evil.example";
    EXPECT_NE(message(logs).find("--cluster-secret-host login.evil.example"), std::string::npos) << message(logs);
    EXPECT_EQ(message(logs).find(secret), std::string::npos);
    manifest::trigger application = logs;
    application.auth.provider = "azure-client-secret";
    EXPECT_NE(message(application).find("--cluster-secret-host login.evil.example"), std::string::npos)
        << message(application);
    logs.auth.is_cluster_wide = false;
    EXPECT_EQ(message(logs), "") << "the tenant's own secret";
}

TEST_F(Fetching, AzureSOwnWordsComeThrough) {
    loop->answer_with([](const http::request& what) {
        if (to_login(what)) return token_answer(1);
        return scripted(403, R"({"error":{"code":"InsufficientAccessError","message":"no","innererror":)"
                             R"({"code":"AuthorizationFailedError","message":"User does not have access"}}})");
    });
    const auto got = fetch(azure_trigger());
    EXPECT_EQ(got.why.error_class, error_class::forbidden);
    EXPECT_NE(got.why.message.find("AuthorizationFailedError"), std::string::npos);
    EXPECT_NE(got.why.message.find("Monitoring Data Reader"), std::string::npos);
}

}  // namespace
}  // namespace gputide
