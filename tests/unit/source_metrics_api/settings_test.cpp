// Keys of metrics-api triggers, by KEDA's rules.
#include "source/metrics_api/metrics_api.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

namespace gputide::source::metrics_api {
namespace {

using metadata = std::map<std::string, std::string>;

manifest::trigger trigger(const metadata& more, const metadata& auth = {}) {
    manifest::trigger out;
    out.type = "metrics-api";
    out.metadata = {{"url", "http://api:3232/stats"}, {"valueLocation", "a.b"}, {"targetValue", "8.8"}};
    for (const auto& [key, value] : more) out.metadata[key] = value;
    for (const auto& [key, value] : auth) out.auth.parameters.emplace(key, secret_text(value));
    return out;
}

result<settings> read(const metadata& more, const metadata& auth = {}) {
    return testing::settings_of(&read_settings, keys.all(), trigger(more, auth));
}

TEST(MetricsApiSettings, Defaults) {
    const auto got = read({});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->format, format::json);
    EXPECT_EQ(got->path.size(), 2U);
    EXPECT_EQ(got->target.metric_name, "s0-metric-api-a-b");
    EXPECT_EQ(got->target.target_milli, 8'800);
    EXPECT_EQ(got->timeout_ms, 3'000);
    EXPECT_TRUE(got->query_key.empty());
}

TEST(MetricsApiSettings, AnApiKeyIsAHeaderOrAParameter) {
    auto got = read({{"authMode", "apiKey"}}, {{"apiKey", "k=1"}});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->access.custom_header.reveal(), "X-API-KEY");
    EXPECT_EQ(got->access.custom_value.reveal(), "k=1");
    got = read({{"authModes", "apiKey"}, {"keyParamName", "X-Mine"}}, {{"apiKey", "k"}});
    EXPECT_EQ(got->access.custom_header.reveal(), "X-Mine");
    got = read({{"authModes", "apiKey"}, {"method", "query"}}, {{"apiKey", "k=1"}});
    EXPECT_EQ(got->query_key.reveal(), "api_key=k%3D1");
    EXPECT_TRUE(got->access.custom_header.empty());
}

// KEDA sends neither mode, and refuses both from 2.21 on.
TEST(MetricsApiSettings, ModesThatKedaDoesNotSend) {
    const metadata custom{{"customAuthHeader", "X-Key"}, {"customAuthValue", "v"}, {"apiKey", "k"}};
    const metadata oauth{{"oauthTokenURI", "https://login.test"}, {"clientID", "id"}};
    const auto read_as = [](const char* modes, const metadata& auth, manifest::profile profile, std::int32_t keda,
                            text::report* findings = nullptr) {
        manifest::trigger_rules rules;
        rules.versions.keda = keda;
        return testing::settings_of(&read_settings, keys.all(), trigger({{"authModes", modes}}, auth), rules, profile,
                                    findings);
    };
    for (const auto& [mode, values] : {std::pair("custom", custom), std::pair("oauth", oauth)}) {
        const auto refused = read_as(mode, values, manifest::profile::strict, 21);
        ASSERT_FALSE(refused) << mode;
        EXPECT_NE(refused.failure().message.find(std::string("auth mode \"") + mode +
                                                 "\" is not supported by this scaler; supported modes: [apiKey basic "
                                                 "tls bearer]"),
                  std::string::npos)
            << refused.failure().message;
        EXPECT_TRUE(read_as(mode, values, manifest::profile::strict, 20)) << mode;
    }
    EXPECT_FALSE(read_as("apiKey,custom", custom, manifest::profile::strict, 21));
    const auto as_keda_220 = read_as("apiKey,custom", custom, manifest::profile::strict, 20);
    ASSERT_TRUE(as_keda_220);
    EXPECT_EQ(as_keda_220->access.custom_header.reveal(), "X-API-KEY");  // the key alone is sent
    EXPECT_TRUE(read_as("custom", custom, manifest::profile::strict, 20)->access.custom_header.empty());

    for (const std::int32_t keda : {20, 21}) {
        EXPECT_FALSE(read_as("oauth", oauth, manifest::profile::standard, keda));
        text::report findings;
        const auto sent = read_as("custom", custom, manifest::profile::standard, keda, &findings);
        ASSERT_TRUE(sent);
        EXPECT_EQ(sent->access.custom_header.reveal(), "X-Key");
        EXPECT_NE(
            text::render(findings).find(keda == 21 ? "KEDA rejects this mode" : "sends the request without the header"),
            std::string::npos)
            << text::render(findings);
    }
}

TEST(MetricsApiSettings, RefusalsSayWhat) {
    const struct {
        metadata keys;
        const char* part;
    } rows[] = {
        {{{"format", "xml"}}, "xml is not supported; configure the API to respond with json"},
        {{{"format", "toml"}}, "must be one of [json yaml prometheus xml]"},
        {{{"targetValue", "0"}}, "no targetValue given in metadata"},
        {{{"targetValue", "x"}}, "\"targetValue\" value \"x\""},
        {{{"url", "api:3232"}}, "url: expected an http or https URL"},
        {{{"url", ""}}, "missing required parameter \"url\""},
        {{{"valueLocation", "a.#(b==1)"}}, "no queries"},
        {{{"aggregateFromKubeServiceEndpoints", "true"}}, "looking up the endpoints of a Service is not supported"},
        {{{"authModes", "apiKey"}}, "apiKey (<empty>) is required"},
        {{{"authModes", "bearer"}}, "bearerToken (<empty>) is required"}};
    for (const auto& row : rows) {
        const auto got = read(row.keys);
        ASSERT_FALSE(got) << row.part;
        EXPECT_EQ(got.failure().status, status::invalid);
        EXPECT_NE(got.failure().message.find(row.part), std::string::npos) << got.failure().message;
    }
    auto from = trigger({});
    from.auth.provider = "azure-workload";
    EXPECT_FALSE(testing::settings_of(&read_settings, keys.all(), from));
}

}  // namespace
}  // namespace gputide::source::metrics_api
