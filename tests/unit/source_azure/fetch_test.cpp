// Whole fetches over a scripted loop: tokens of a pod and of an application, repeats, ages, and where tokens never go.
#include "support.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

using testing::logs_trigger;
using testing::metrics_body;
using testing::monitor_trigger;
using testing::noon_ms;
using testing::scripted;
using testing::scripted_answer;
using testing::with_secret;

constexpr std::string_view secret = "s3cr3t-value-that-nobody-sees";

class azure_fetching : public ::testing::Test {
  protected:
    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    manifest::trigger_rules rules;
    int tokens = 0;
    std::vector<http::request> asked;  // of the metric API

    void answer(std::vector<scripted_answer> with) {
        loop->answer_with([this, with = std::move(with)](const http::request& sent) {
            if (sent.url.find("https://login.") == 0) {
                return scripted(200, R"({"access_token":"token-)" + std::to_string(++tokens) +
                                         R"(","token_type":"Bearer","expires_in":3599})");
            }
            asked.push_back(sent);
            return with[std::min(asked.size(), with.size()) - 1];
        });
    }

    source::fetched fetch(const manifest::trigger& from, source::detail wanted = source::detail::value) {
        source::services with;
        with.loop = loop;
        with.tokens = std::make_shared<auth::token_cache>(loop);
        with.host = std::make_shared<testing::pod>();
        loop->set_wall_ms(noon_ms);
        const auto opened = testing::open_source(from, rules, manifest::profile::standard, with);
        EXPECT_TRUE(opened) << (opened ? "" : opened.failure().message);
        source::fetched out;
        if (!opened) return out;
        bool inside = true;
        (*opened)->fetch(
            noon_ms, loop->steady_ms() + 60'000,
            [&](source::fetched got) {
                EXPECT_FALSE(inside) << "done ran inside the call";
                out = std::move(got);
            },
            wanted);
        inside = false;
        loop->run_until_idle();
        return out;
    }

    std::string authorization() const {
        const http::header* found = asked.empty() ? nullptr : asked.back().find("Authorization");
        return found == nullptr ? "" : std::string(found->value.reveal());
    }
};

const scripted_answer one_number =
    scripted(200, metrics_body(R"({"data":[{"timeStamp":"2025-10-09T08:50:00Z","average":7}]})"));

TEST_F(azure_fetching, the_pods_identity) {
    answer({one_number});
    const auto got = fetch(monitor_trigger());
    EXPECT_EQ(got.sample.value, 7.0) << got.why.message;
    EXPECT_TRUE(got.reading.series.empty());  // they were not asked for
    EXPECT_EQ(authorization(), "Bearer token-1");
    EXPECT_NE(loop->requests()[0].what.body.reveal().find("scope=https%3A%2F%2Fmanagement.azure.com%2F.default"),
              std::string_view::npos);
}

TEST_F(azure_fetching, an_applications_secret_in_its_cloud) {
    answer({one_number});
    const auto from =
        with_secret(monitor_trigger({{"cloud", "AzureUSGovernmentCloud"}}),
                    {{"activeDirectoryClientId", "app"}, {"activeDirectoryClientPassword", std::string(secret)}});
    EXPECT_EQ(fetch(from).sample.value, 7.0);
    const http::request token = loop->requests()[0].what;
    EXPECT_EQ(token.url, "https://login.microsoftonline.us/t1/oauth2/v2.0/token");
    EXPECT_NE(token.body.reveal().find("client_secret="), std::string_view::npos);
    EXPECT_NE(token.body.reveal().find("scope=https%3A%2F%2Fmanagement.usgovcloudapi.net%2F%2F.default"),
              std::string_view::npos);
    EXPECT_EQ(asked.front().url.find("https://management.usgovcloudapi.net/"), 0U);
}

TEST_F(azure_fetching, a_refused_token_is_renewed_once) {
    answer({scripted(401, R"({"error":{"code":"ExpiredAuthenticationToken","message":"x"}})"), one_number});
    EXPECT_EQ(fetch(monitor_trigger()).sample.value, 7.0);
    EXPECT_EQ(tokens, 2);
    EXPECT_EQ(authorization(), "Bearer token-2");
}

TEST_F(azure_fetching, a_missing_role_names_itself_and_costs_one_request) {
    answer({scripted(
        403, R"({"error":{"code":"AuthorizationFailed","message":"no action 'Microsoft.Insights/metrics/read'"}})")});
    const auto got = fetch(monitor_trigger());
    EXPECT_EQ(got.why.status, status::forbidden);
    EXPECT_EQ(got.why.where.text(), monitor_trigger().label());
    EXPECT_NE(got.why.message.find("Monitoring Reader"), std::string::npos) << got.why.message;
    EXPECT_EQ(asked.size(), 1U);
    EXPECT_EQ(tokens, 1);
}

TEST_F(azure_fetching, a_throttling_service_is_given_its_time) {
    answer({scripted(529, R"({"error":{"code":"Throttled","message":"x"}})", {{"Retry-After", "309"}})});
    const auto got = fetch(monitor_trigger());
    EXPECT_EQ(got.why.status, status::throttled);
    EXPECT_EQ(got.why.retry_at_ms, noon_ms + 309'000);
    EXPECT_EQ(asked.size(), 1U);
}

TEST_F(azure_fetching, a_gateway_timeout_is_repeated_for_metrics_and_not_for_a_heavy_query) {
    answer({scripted(504, "")});
    EXPECT_EQ(fetch(monitor_trigger()).why.status, status::unavailable);
    EXPECT_EQ(asked.size(), 2U);
    asked.clear();
    const auto got = fetch(logs_trigger());
    EXPECT_EQ(got.why.status, status::timeout);
    EXPECT_EQ(asked.size(), 1U);
}

TEST_F(azure_fetching, a_redirect_is_never_followed) {
    answer({scripted(302, "", {{"Location", "https://evil.example/"}})});
    EXPECT_EQ(fetch(logs_trigger()).why.status, status::security);
    EXPECT_EQ(asked.size(), 1U);
}

TEST_F(azure_fetching, old_values_are_stale) {
    answer({one_number});
    rules.max_age_ms = 180'000;
    const auto got = fetch(monitor_trigger(), source::detail::everything);
    EXPECT_EQ(got.sample.state, sample_state::stale);
    EXPECT_EQ(got.sample.time_ms, noon_ms - 200'000);
    EXPECT_NE(got.why.message.find("3m20s old"), std::string::npos) << got.why.message;
    EXPECT_NE(got.why.message.find("GpuUtil"), std::string::npos);
    EXPECT_EQ(got.reading.series.size(), 1U);
    rules.max_age_ms = 300'000;
    EXPECT_EQ(fetch(monitor_trigger()).sample.state, sample_state::ok);
}

// cloud: Private names a host of the manifest's choice, which the host's identity knows nothing of.
TEST_F(azure_fetching, a_token_goes_to_no_host_that_a_manifest_names) {
    answer({one_number});
    const auto got = fetch(logs_trigger({{"cloud", "Private"}, {"logAnalyticsResourceURL", "http://logs.example"}}));
    EXPECT_EQ(got.why.error_class, error_class::config);
    EXPECT_NE(got.why.message.find("allowed_token_hosts"), std::string::npos);
    EXPECT_TRUE(loop->requests().empty());
}

TEST_F(azure_fetching, what_a_peer_echoes_stays_secret) {
    answer({scripted(400, R"({"error":{"code":"Bad","message":"you sent Bearer token-1"}})")});
    const auto got = fetch(logs_trigger());
    EXPECT_EQ(got.why.status, status::rejected);
    EXPECT_EQ(got.why.message.find("token-1"), std::string::npos) << got.why.message;
}

TEST_F(azure_fetching, equal_questions_share_an_answer) {
    const auto key = [this](const manifest::trigger& from) {
        return (*testing::open_source(from, rules, manifest::profile::standard, {}))->query_key();
    };
    EXPECT_EQ(key(monitor_trigger()), key(monitor_trigger({{"targetValue", "5"}})));
    EXPECT_NE(key(monitor_trigger()), key(monitor_trigger({{"metricFilter", "a eq 'b'"}})));
    EXPECT_NE(key(logs_trigger()), key(logs_trigger({{"gputide.io/timespan", "PT5M"}})));
    EXPECT_NE(key(logs_trigger()), key(logs_trigger({{"unsafeSsl", "true"}})));
}

}  // namespace
}  // namespace gputide
