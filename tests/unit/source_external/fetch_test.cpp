// The questions of one poll, the repeats, and what is canceled; settings as KEDA reads them.
#include "source/external/external.hpp"
#include "source/source.hpp"
#include "support.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace gputide {
namespace {

using testing::scripted_answer;

manifest::trigger external_trigger(std::map<std::string, std::string> metadata) {
    manifest::trigger out;
    out.type = "external";
    out.owner = "llm";
    out.name_space = "ml";
    out.metadata = std::move(metadata);
    return out;
}

scripted_answer grpc(std::string_view message, const char* status = "0") {
    return testing::scripted(200, testing::framed(message),
                             {{"content-type", "application/grpc"}, {"grpc-status", status}});
}

class External : public ::testing::Test {
  protected:
    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    std::optional<source::fetched> got;
    std::shared_ptr<source::metric_source> source;

    std::shared_ptr<http::exchange> begin(const manifest::trigger& from) {
        source::services with;
        with.loop = loop;
        with.tokens = std::make_shared<auth::token_cache>(loop);
        auto opened = testing::open_source(from, {}, manifest::profile::standard, with);
        EXPECT_TRUE(opened) << (opened ? "" : opened.failure().message);
        if (!opened) return nullptr;
        source = *opened;
        return source->fetch(1'760'000'000'000, loop->steady_ms() + 10'000,
                             [this](source::fetched fetched) { got = std::move(fetched); });
    }

    void answer_well() {
        loop->answer_next(grpc(testing::repeated({testing::entry_of("q", 5, 0.0)})));
        loop->answer_next(grpc(testing::repeated({testing::entry_of("", 12, 0.0)})));
        loop->answer_next(grpc("\x08\x01"));
    }
};

TEST_F(External, AsksForTargetsThenValuesThenActivity) {
    answer_well();
    const auto under_way = begin(external_trigger({{"scalerAddress", "dns:///scaler:6000"}}));
    loop->run_until_idle();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->sample.value, 12.0);
    EXPECT_EQ(got->sample.target_milli, 5'000);
    EXPECT_EQ(got->sample.activity, activity_word::active);
    std::vector<std::string> urls;
    for (const auto& request : loop->requests()) urls.push_back(request.what.url);
    const std::string service = "http://scaler:6000/externalscaler.ExternalScaler/";
    EXPECT_EQ(urls, (std::vector{service + "GetMetricSpec", service + "GetMetrics", service + "IsActive"}));
}

TEST_F(External, AnyStepMayFail) {
    const std::vector<std::string> steps{"GetMetricSpec", "GetMetrics", "IsActive"};
    for (const std::string& failing : steps) {
        got.reset();
        loop->answer_with([&failing](const http::request& what) {
            if (std::string_view(what.url).ends_with(failing)) return grpc({}, "13");
            if (std::string_view(what.url).ends_with("IsActive")) return grpc("\x08\x01");
            return grpc(testing::repeated({testing::entry_of("q", 5, 0.0)}));
        });
        const auto under_way = begin(external_trigger({{"scalerAddress", "scaler:6000"}}));
        loop->run_until_idle();
        ASSERT_TRUE(got);
        EXPECT_EQ(got->why.status, status::protocol);
        EXPECT_NE(got->why.message.find(failing), std::string::npos) << got->why.message;
        EXPECT_EQ(got->sample.activity, activity_word::none);
    }
}

TEST_F(External, CancelledBetweenTwoQuestionsItAsksNoMore) {
    loop->answer_next(grpc(testing::repeated({testing::entry_of("q", 5, 0.0)})));
    const auto under_way = begin(external_trigger({{"scalerAddress", "scaler:6000"}}));
    loop->run_until([this] { return loop->requests().size() == 2; });
    under_way->cancel();
    loop->run_until_idle();
    EXPECT_FALSE(got);
    EXPECT_EQ(loop->requests().size(), 2U);
}

TEST_F(External, ASecretOfTheEnvironmentIsNotTold) {
    manifest::trigger from = external_trigger({{"scalerAddress", "localhost:6000"}, {"keyFromEnv", "KEY"}});
    from.resolved_env["KEY"] = secret_text(std::string_view("planted"));
    loop->answer_next(testing::scripted(
        200, {}, {{"content-type", "application/grpc"}, {"grpc-status", "3"}, {"grpc-message", "bad key planted"}}));
    const auto under_way = begin(from);
    loop->run_until_idle();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->why.status, status::rejected);
    EXPECT_EQ(got->why.message.find("planted"), std::string::npos) << got->why.message;
    ASSERT_EQ(loop->requests().size(), 1U);
    EXPECT_TRUE(loop->requests()[0].what.carries_credential);
    EXPECT_NE(loop->requests()[0].what.body.reveal().find("planted"), std::string_view::npos) << "and yet it is sent";
}

TEST(ExternalSettings, Addresses) {
    using source::external::base_url;
    const auto url = [](const char* address, bool is_tls = false) {
        const auto out = base_url(address, is_tls);
        return out ? *out : std::string("refused");
    };
    EXPECT_EQ(url("scaler.ml:6000"), "http://scaler.ml:6000");
    EXPECT_EQ(url("scaler.ml:6000", true), "https://scaler.ml:6000");
    EXPECT_EQ(url("dns:///scaler:6000"), "http://scaler:6000");
    EXPECT_EQ(url("dns:scaler:6000"), "http://scaler:6000");
    EXPECT_EQ(url("passthrough:///10.0.0.1:6000"), "http://10.0.0.1:6000");
    EXPECT_EQ(url("scaler"), "http://scaler:443");
    EXPECT_EQ(url("[::1]:6000"), "http://[::1]:6000");
    EXPECT_EQ(url("[::1]", true), "https://[::1]:443");
    for (const char* text : {"http://scaler:6000", "unix:///run/s", "dns://8.8.8.8/scaler:1", "xds:///s", "s:port",
                             "s:0", "a b:1", "user@s:1", "s:1/x", "s:1?x", ":6000", "dns:///"}) {
        EXPECT_EQ(url(text), "refused") << text;
    }
}

TEST(ExternalSettings, WithoutAnAddressTheTargetOfAPushedNumberIsThere) {
    const auto got = source::describe(external_trigger({{"threshold", "2.5"}, {"value", "high"}}), {},
                                      manifest::profile::standard, nullptr);
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->target.target_milli, 2'500);
    EXPECT_EQ(got->target.metric_name, "s0-external");
    EXPECT_NE(got->lacking.message.find("scalerAddress"), std::string::npos);
    EXPECT_FALSE(source::open(*got, {}));
}

TEST(ExternalSettings, WhoIsAskedForWhomIsTheQuestion) {
    const auto question = [](const manifest::trigger& from) {
        const auto got = source::describe(from, {}, manifest::profile::standard, nullptr);
        return got ? got->question : std::string();
    };
    const manifest::trigger first = external_trigger({{"scalerAddress", "s:1"}});
    manifest::trigger other = first;
    EXPECT_EQ(question(first), question(other));
    other.owner = "other";
    EXPECT_NE(question(first), question(other));
    other = first;
    other.metadata["queue"] = "b";
    EXPECT_NE(question(first), question(other));
    other = first;
    other.metadata["enableTLS"] = "true";
    EXPECT_NE(question(first), question(other));
}

}  // namespace
}  // namespace gputide
