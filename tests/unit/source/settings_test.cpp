// Errors and warnings of a prometheus trigger's metadata.
#include "source/description.hpp"
#include "source/prometheus/prometheus.hpp"
#include "support.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gputide {
namespace {

using testing::prometheus_trigger;
using testing::with_auth;

error error_of(const manifest::trigger& from, const manifest::trigger_rules& rules = {},
               manifest::profile as = manifest::profile::standard) {
    const auto got =
        testing::settings_of(&source::prometheus::read_settings, source::prometheus::keys.all(), from, rules, as);
    return got ? fail(status::ok, "accepted") : got.failure();
}

text::report report_of(const manifest::trigger& from) {
    text::report out;
    EXPECT_TRUE(testing::settings_of(&source::prometheus::read_settings, source::prometheus::keys.all(), from, {},
                                     manifest::profile::standard, &out));
    return out;
}

const text::finding* find(const text::report& in, std::string_view code) {
    const auto at = std::find_if(in.findings.begin(), in.findings.end(),
                                 [code](const text::finding& finding) { return finding.code == code; });
    return at == in.findings.end() ? nullptr : &*at;
}

TEST(Settings, AnErrorNamesTriggerKeyAndAllFaultsAtOnce) {
    manifest::trigger from = prometheus_trigger({{"threshold", "many"}, {"ignoreNullValues", "yes"}});
    from.metadata.erase("query");
    from.index = 2;
    const error got = error_of(from);
    EXPECT_EQ(got.status, status::invalid);
    EXPECT_EQ(got.error_class, error_class::config);
    for (const char* part :
         {"error parsing prometheus metadata: ", "\"threshold\"", "\"many\"", "ignoreNullValues", "\"query\""}) {
        EXPECT_NE(got.message.find(part), std::string::npos) << part << " in " << got.message;
    }
}

TEST(Settings, AnAddressMustBeOneOutsideStrict) {
    for (const char* address : {"prometheus:9090", "ftp://h", "http://", "http://h/#x"}) {
        EXPECT_NE(error_of(prometheus_trigger({{"serverAddress", address}})).message.find("serverAddress"),
                  std::string::npos)
            << address;
        EXPECT_EQ(error_of(prometheus_trigger({{"serverAddress", address}}), {}, manifest::profile::strict).status,
                  status::ok)
            << address;
    }
}

TEST(Settings, HeadersCannotBeSplit) {
    EXPECT_EQ(error_of(prometheus_trigger({{"customHeaders", "a=b\r\nX: y"}})).status, status::invalid);
    EXPECT_EQ(error_of(prometheus_trigger({{"customHeaders", "a b=c"}})).status, status::invalid);
    const auto custom = with_auth(prometheus_trigger({{"authModes", "custom"}}),
                                  {{"customAuthHeader", "X"}, {"customAuthValue", "a\r\nb"}});
    EXPECT_EQ(error_of(custom).status, status::invalid);
    EXPECT_EQ(error_of(custom).message.find("a\r\nb"), std::string::npos);
}

TEST(Settings, ValuesHoldEqualsSignsOnlyWhenAsked) {
    const auto from = prometheus_trigger({{"customHeaders", "Authorization=Basic dTpw=="}});
    EXPECT_EQ(error_of(from).status, status::invalid);
    manifest::trigger_rules rules;
    rules.pairs_hold_equals = true;
    const auto got = testing::settings_of(&source::prometheus::read_settings, source::prometheus::keys.all(), from,
                                          rules, manifest::profile::standard);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->headers.at("Authorization"), "Basic dTpw==");
}

TEST(Settings, AReducerMustBeKnown) {
    manifest::trigger_rules rules;
    rules.reduce = "median";
    EXPECT_NE(error_of(prometheus_trigger(), rules).message.find("gputide.io/reduce"), std::string::npos);
}

TEST(Settings, SecretsStayOutOfErrors) {
    const auto from = with_auth(prometheus_trigger({{"authModes", "bearer,tls"}}),
                                {{"bearerToken", "s3cr3t-token"}, {"cert", "s3cr3t-cert"}});
    const error got = error_of(from);
    EXPECT_EQ(got.status, status::invalid);
    EXPECT_EQ(got.message.find("s3cr3t"), std::string::npos) << got.message;
    EXPECT_NE(got.message.find("cert (<present>) and key (<empty>)"), std::string::npos) << got.message;
}

TEST(Settings, WarnOfUnknownKeysWithTheNearest) {
    text::report got;
    const auto from = prometheus_trigger({{"treshold", "3"}, {"gputide.io/reduce", "avg"}});
    EXPECT_TRUE(source::describe(from, {}, manifest::profile::standard, &got));
    const text::finding* found = find(got, "unknown-key");
    ASSERT_NE(found, nullptr);
    EXPECT_NE(found->message.find("\"treshold\""), std::string::npos);
    EXPECT_NE(found->remedy.find("threshold"), std::string::npos);
    EXPECT_EQ(std::count_if(got.findings.begin(), got.findings.end(),
                            [](const text::finding& finding) { return finding.code == "unknown-key"; }),
              1);
}

TEST(Settings, WarnOfWhatIsDangerous) {
    EXPECT_NE(find(report_of(prometheus_trigger()), "empty-reads-as-zero"), nullptr);
    EXPECT_EQ(find(report_of(prometheus_trigger({{"ignoreNullValues", "false"}})), "empty-reads-as-zero"), nullptr);
    EXPECT_NE(find(report_of(prometheus_trigger({{"unsafeSsl", "true"}})), "tls-not-verified"), nullptr);
    EXPECT_NE(find(report_of(with_auth(prometheus_trigger(), {{"bearerToken", "t"}})), "credential-not-sent"), nullptr);
    const text::report named = report_of(prometheus_trigger({{"metricName", "x"}}));
    const text::finding* note = find(named, "key-without-effect");
    ASSERT_NE(note, nullptr);
    EXPECT_EQ(note->severity, text::severity::note);
}

const testing::metadata oauth_values{{"oauthTokenURI", "https://login.test/token"},
                                     {"clientID", "id"},
                                     {"clientSecret", "hunter2"},
                                     {"scope", " a, b ,,"},
                                     {"endpointParams", "x=1&y=a+b%26&x=2&&z"}};

TEST(Settings, OAuthIsReadWithItsParameters) {
    const auto from = with_auth(prometheus_trigger({{"authModes", "oauth"}, {"timeout", "1500"}}), oauth_values);
    const auto got = testing::settings_of(&source::prometheus::read_settings, source::prometheus::keys.all(), from, {},
                                          manifest::profile::standard);
    ASSERT_TRUE(got);
    ASSERT_TRUE(got->access.oauth);
    const auth::client_credentials_settings& oauth = *got->access.oauth;
    EXPECT_EQ(oauth.token_url.reveal(), "https://login.test/token");
    EXPECT_EQ(oauth.client_secret.reveal(), "hunter2");
    EXPECT_EQ(oauth.scope, "a b");
    EXPECT_EQ(oauth.timeout_ms, 1'500);
    std::string parameters;
    for (const auto& [name, value] : oauth.parameters)
        parameters.append(name).append("=").append(value.reveal()).append("\n");
    EXPECT_EQ(parameters, "x=1\ny=a b&\nx=2\nz=\n");
    EXPECT_EQ(find(report_of(from), "oauth-without-secret"), nullptr);

    const auto unused =
        testing::settings_of(&source::prometheus::read_settings, source::prometheus::keys.all(),
                             with_auth(prometheus_trigger(), oauth_values), {}, manifest::profile::standard);
    ASSERT_TRUE(unused);
    EXPECT_FALSE(unused->access.oauth);
}

TEST(Settings, OAuthSendsNothingBelowKeda221) {
    manifest::trigger_rules rules;
    rules.versions.keda = 20;
    const auto from = with_auth(prometheus_trigger({{"authModes", "oauth"}}), oauth_values);
    text::report findings;
    const auto got = testing::settings_of(&source::prometheus::read_settings, source::prometheus::keys.all(), from,
                                          rules, manifest::profile::standard, &findings);
    ASSERT_TRUE(got);
    EXPECT_FALSE(got->access.oauth);
    EXPECT_NE(find(findings, "credential-not-sent"), nullptr);
}

TEST(Settings, OAuthIsWarnedOf) {
    testing::metadata values = oauth_values;
    values.erase("clientSecret");
    const auto alone = with_auth(prometheus_trigger({{"authModes", "oauth"}}), values);
    EXPECT_NE(find(report_of(alone), "oauth-without-secret"), nullptr);
    values["cert"] = values["key"] = "pem";
    const auto with_tls = with_auth(prometheus_trigger({{"authModes", "oauth,tls"}}), values);
    EXPECT_EQ(find(report_of(with_tls), "oauth-without-secret"), nullptr);

    values = oauth_values;
    values["oauthTokenURI"] = "http://login.test/token";
    const auto plain =
        with_auth(prometheus_trigger({{"authModes", "oauth"}, {"serverAddress", "https://prom.test"}}), values);
    const text::report report = report_of(plain);
    const text::finding* found = find(report, "credential-over-http");
    ASSERT_NE(found, nullptr);
    EXPECT_NE(found->message.find("the client secret of authModes oauth would be sent to login.test"),
              std::string::npos);
    EXPECT_NE(
        find(report_of(with_auth(prometheus_trigger({{"authModes", "oauth"}}), oauth_values)), "credential-over-http"),
        nullptr);  // the token
}

TEST(Settings, OAuthIsRefused) {
    const struct {
        testing::metadata values;
        const char* part;
    } rows[] = {{{{"clientID", "id"}}, "oauthTokenURI and clientID are required when oauth is enabled"},
                {{{"oauthTokenURI", "https://login.test"}}, "are required when oauth is enabled"},
                {{{"endpointParams", "planted=%zz"}}, "unable to set param \"endpointParams\" value \"***\""},
                {{{"endpointParams", "a;b"}}, "unable to parse query"}};
    for (const auto& row : rows) {
        const error got = error_of(with_auth(prometheus_trigger({{"authModes", "oauth"}}), row.values));
        EXPECT_NE(got.message.find(row.part), std::string::npos) << got.message;
        EXPECT_EQ(got.message.find("planted"), std::string::npos) << got.message;
    }
    EXPECT_NE(error_of(with_auth(prometheus_trigger({{"authModes", "oauth,bearer"}}), oauth_values)).status,
              status::ok);
    manifest::trigger identity = with_auth(prometheus_trigger({{"authModes", "oauth"}}), oauth_values);
    identity.auth.provider = "azure-workload";
    EXPECT_NE(error_of(identity).message.find("pod identity cannot be enabled"), std::string::npos);
}

TEST(Settings, OtherCloudsIdentitiesAreNotIgnored) {
    for (const auto& [provider, family] :
         {std::pair("aws", manifest::identity_family::aws), std::pair("aws-eks", manifest::identity_family::aws),
          std::pair("gcp", manifest::identity_family::google)}) {
        manifest::trigger from = prometheus_trigger();
        from.auth.provider = provider;
        const auto made = testing::settings_of(&source::prometheus::read_settings, source::prometheus::keys.all(), from,
                                               {}, manifest::profile::standard);
        ASSERT_TRUE(made) << provider;
        EXPECT_EQ(made->access.family(), family) << provider;
    }
}

TEST(Settings, AMaximumAgeBringsItsQuery) {
    manifest::trigger_rules rules;
    rules.max_age_ms = 60'000;
    const auto made = testing::settings_of(&source::prometheus::read_settings, source::prometheus::keys.all(),
                                           prometheus_trigger(), rules, manifest::profile::standard);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->age_query, "min(timestamp(up))");
    const auto own = prometheus_trigger({{"gputide.io/age-query", "max(timestamp(x))"}});
    EXPECT_EQ(testing::settings_of(&source::prometheus::read_settings, source::prometheus::keys.all(), own, rules,
                                   manifest::profile::standard)
                  ->age_query,
              "max(timestamp(x))");
    EXPECT_NE(error_of(prometheus_trigger({{"query", "vector(1)"}}), rules).message.find("gputide.io/age-query"),
              std::string::npos);
}

}  // namespace
}  // namespace gputide
