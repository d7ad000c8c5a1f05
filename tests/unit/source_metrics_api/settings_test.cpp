// Keys of metrics-api triggers, by KEDA's rules.
#include "source/metrics_api/settings.hpp"

#include <gtest/gtest.h>

namespace gputide::source::metrics_api {
namespace {

using metadata = std::map<std::string, std::string>;

config::trigger trigger(const metadata& more, const metadata& auth = {}) {
    config::trigger out;
    out.type = "metrics-api";
    out.metadata = {{"url", "http://api:3232/stats"}, {"valueLocation", "a.b"}, {"targetValue", "8.8"}};
    for (const auto& [key, value] : more) out.metadata[key] = value;
    for (const auto& [key, value] : auth) out.auth.parameters.emplace(key, secret_text(value));
    return out;
}

result<settings> read(const metadata& more, const metadata& auth = {}) {
    return read_settings(trigger(more, auth), {}, config::profile::standard, nullptr);
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

TEST(MetricsApiSettings, RefusalsSayWhat) {
    const struct {
        metadata keys;
        const char* part;
    } rows[] = {{{{"format", "xml"}}, "xml is not read here; json, yaml and prometheus are"},
                {{{"format", "toml"}}, "must be one of [json yaml prometheus xml]"},
                {{{"targetValue", "0"}}, "no targetValue given in metadata"},
                {{{"targetValue", "x"}}, "\"targetValue\" value \"x\""},
                {{{"url", "api:3232"}}, "url: expected an http or https URL"},
                {{{"url", ""}}, "missing required parameter \"url\""},
                {{{"valueLocation", "a.#(b==1)"}}, "no queries"},
                {{{"aggregateFromKubeServiceEndpoints", "true"}}, "the endpoints of a Service are not looked up here"},
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
    EXPECT_FALSE(read_settings(from, {}, config::profile::standard, nullptr));
}

}  // namespace
}  // namespace gputide::source::metrics_api
