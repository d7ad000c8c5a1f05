// Tests what goes out for a metrics-api trigger, and that its key is never told.
#include "source/source.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace gputide {
namespace {

using metadata = std::map<std::string, std::string>;
using testing::scripted;

class MetricsApi : public ::testing::Test {
  protected:
    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();

    source::fetched fetch(const metadata& more, const metadata& auth, const testing::scripted_answer& answer) {
        manifest::trigger from;
        from.type = "metrics-api";
        from.metadata = {{"url", "https://api/stats?x=1"}, {"valueLocation", "a"}, {"targetValue", "8"}};
        for (const auto& [key, value] : more) from.metadata[key] = value;
        for (const auto& [key, value] : auth) from.auth.parameters.emplace(key, secret_text(value));
        source::services with;
        with.loop = loop;
        with.tokens = std::make_shared<auth::token_cache>(loop);
        const auto opened = testing::open_source(from, {}, manifest::profile::standard, with);
        EXPECT_TRUE(opened) << (opened ? "" : opened.failure().message);
        if (!opened) return {};
        for (int tries = 0; tries < 2; ++tries) loop->answer_next(answer);  // a 503 is asked once more
        std::optional<source::fetched> out;
        const auto under_way = (*opened)->fetch(1'760'000'000'000, loop->steady_ms() + 10'000,
                                                [&](source::fetched got) { out = std::move(got); });
        loop->run_until_idle();
        EXPECT_TRUE(out);
        return out.value_or(source::fetched());
    }
};

TEST_F(MetricsApi, SendsTheKeyInItsHeader) {
    const auto got = fetch({{"authModes", "apiKey"}}, {{"apiKey", "planted"}}, scripted(200, R"({"a":42})"));
    EXPECT_EQ(got.sample.value, 42.0);
    const http::request sent = loop->requests()[0].what;
    EXPECT_EQ(sent.url, "https://api/stats?x=1");
    ASSERT_NE(sent.find("X-API-KEY"), nullptr);
    EXPECT_EQ(sent.find("X-API-KEY")->value.reveal(), "planted");
    EXPECT_TRUE(sent.carries_credential);
}

TEST_F(MetricsApi, AKeyInTheUrlIsNotTold) {
    const auto got =
        fetch({{"authModes", "apiKey"}, {"method", "query"}}, {{"apiKey", "planted"}}, scripted(503, "planted"));
    EXPECT_EQ(loop->requests()[0].what.url, "https://api/stats?x=1&api_key=planted");
    EXPECT_TRUE(loop->requests()[0].what.carries_credential);
    EXPECT_EQ(got.why.status, status::unavailable);
    EXPECT_NE(got.why.message.find("https://api/stats"), std::string::npos) << got.why.message;
    EXPECT_EQ(got.why.message.find("planted"), std::string::npos) << got.why.message;
}

TEST_F(MetricsApi, NeitherIsOneThatTheTransportRepeats) {
    const auto got = fetch({{"authModes", "apiKey"}, {"method", "query"}}, {{"apiKey", "planted"}},
                           testing::scripted_fault(http::fault::connect));
    EXPECT_EQ(got.why.status, status::unavailable);
    EXPECT_EQ(got.why.message.find("planted"), std::string::npos) << got.why.message;
}

}  // namespace
}  // namespace gputide
