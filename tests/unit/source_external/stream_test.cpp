// The stream on which an external scaler tells by itself whether it is active: what is asked, what is heard, how it ends.
#include "source/grpc/grpc.hpp"
#include "source/source.hpp"
#include "support.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

namespace gputide {
namespace {

using namespace std::literals;
using source::grpc::frame_cutter;
using testing::scripted_answer;

const std::string active = testing::framed("\x08\x01");
const std::string idle = testing::framed("");

class Stream : public ::testing::Test {
  protected:
    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    std::vector<bool> heard;
    int other_targets = 0;
    std::optional<source::stream_end> ended;
    std::shared_ptr<source::metric_source> source;
    manifest::trigger trigger;

    void SetUp() override {
        trigger.type = "external-push";
        trigger.owner = "llm";
        trigger.name_space = "ml";
        trigger.metadata = {{"scalerAddress", "localhost:6000"}};
        trigger.rules.versions.keda = 20;  // with StreamIsActive as its only stream
    }

    static scripted_answer answered(std::string body, const char* status, std::int64_t delay_ms = 1'000) {
        scripted_answer out =
            testing::scripted(200, std::move(body), {{"content-type", "application/grpc"}, {"grpc-status", status}});
        out.delay_ms = delay_ms;
        return out;
    }

    std::shared_ptr<http::exchange> listen(scripted_answer answer, std::optional<scripted_answer> targets = {}) {
        source::services with;
        with.loop = loop;
        with.tokens = std::make_shared<auth::token_cache>(loop);
        auto opened = testing::open_source(trigger, {}, manifest::profile::standard, with);
        EXPECT_TRUE(opened) << (opened ? "" : opened.failure().message);
        if (!opened) return nullptr;
        source = *opened;
        loop->answer_next(std::move(answer));
        if (targets) loop->answer_next(*std::move(targets));
        return source->listen(
            loop, [this](source::stream_report report) { take(report); },
            [this](source::stream_end end) { ended = std::move(end); });
    }

    void take(source::stream_report report) {
        if (report == source::stream_report::targets) {
            ++other_targets;
        } else {
            heard.push_back(report == source::stream_report::active);
        }
    }

    // Polls the peer, with target 5 from GetMetricSpec; a failing poll if status is not "0".
    std::int64_t polled_target_milli(const char* status = "0") {
        loop->answer_next(answered(testing::framed(testing::repeated({testing::entry_of("q", 5, 0.0)})), "0", 10));
        loop->answer_next(answered(testing::framed(testing::repeated({testing::entry_of("", 12, 0.0)})), status, 10));
        if (std::string_view(status) == "0") loop->answer_next(answered(active, "0", 10));
        std::int64_t out = 0;
        const auto poll = source->fetch(loop->wall_ms(), loop->steady_ms() + 5'000,
                                        [&out](const source::fetched& got) { out = got.sample.target_milli; });
        loop->advance(100);
        return out;
    }

    // Opens the streams of KEDA 2.21: activity that says nothing, and targets.
    std::shared_ptr<http::exchange> listen_for_targets(scripted_answer targets) {
        trigger.rules.versions.keda = 21;
        scripted_answer silent = answered({}, "0", 500'000);
        auto out = listen(std::move(silent), std::move(targets));
        return out;
    }

    void ended_with(status expected, std::string_view words) {
        ASSERT_TRUE(ended);
        EXPECT_EQ(ended->why.status, expected) << ended->why.message;
        EXPECT_NE(ended->why.message.find(words), std::string::npos) << ended->why.message;
        EXPECT_FALSE(ended->is_over_time);
    }
};

TEST_F(Stream, EachWordIsHeardWhenItComes) {
    scripted_answer answer = answered(idle, "0", 9'000);
    answer.later = {{2'000, active}, {5'000, idle.substr(0, 3)}, {6'000, idle.substr(3)}};
    const auto under_way = listen(std::move(answer));
    loop->advance(1'000);
    EXPECT_EQ(heard, (std::vector{false}));
    loop->advance(1'000);
    EXPECT_EQ(heard, (std::vector{false, true}));
    loop->advance(3'500);
    EXPECT_EQ(heard.size(), 2U) << "half a message says nothing";
    loop->advance(500);
    EXPECT_EQ(heard, (std::vector{false, true, false}));
    EXPECT_FALSE(ended);
    loop->run_until_idle();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->why.status, status::ok) << ended->why.message;
}

std::string spec_message(std::int64_t target) {
    return testing::framed(testing::repeated({testing::entry_of("q", target, 0.0)}));
}

TEST_F(Stream, StreamedTargetsReplaceThePolledOnesUntilACallFails) {
    scripted_answer targets = answered({}, "0", 400'000);
    targets.later = {{2'000, spec_message(7)}, {3'000, spec_message(7)}, {4'000, testing::framed("")}};
    const auto under_way = listen_for_targets(std::move(targets));
    loop->advance(1'000);
    ASSERT_EQ(loop->requests().size(), 2U);
    EXPECT_EQ(loop->requests()[1].what.url, "http://localhost:6000/externalscaler.ExternalScaler/StreamMetricSpec");
    EXPECT_EQ(polled_target_milli(), 5'000);
    loop->advance(1'000);
    EXPECT_EQ(other_targets, 1);
    EXPECT_EQ(polled_target_milli(), 7'000);
    loop->advance(2'000);
    EXPECT_EQ(other_targets, 1) << "equal targets and a message without a metric change nothing";
    EXPECT_EQ(polled_target_milli(), 7'000);
    EXPECT_EQ(polled_target_milli("13"), 0);
    EXPECT_EQ(polled_target_milli(), 5'000) << "a failed call makes GetMetricSpec count again";
    EXPECT_TRUE(heard.empty());
    under_way->cancel();
    EXPECT_EQ(loop->pending(), 0U);
}

TEST_F(Stream, APeerWithoutTargetsOfItsOwnIsAskedOnce) {
    const auto under_way = listen_for_targets(answered({}, "12"));
    loop->advance(200'000);
    EXPECT_EQ(loop->requests().size(), 2U);
    EXPECT_FALSE(ended) << "the activity goes on";
    under_way->cancel();
    EXPECT_EQ(loop->pending(), 0U);
}

TEST_F(Stream, BothStreamsEndTogether) {
    const auto under_way = listen_for_targets(answered({}, "0", 900'000'000));
    loop->advance(500'000);
    EXPECT_TRUE(ended);
    EXPECT_EQ(loop->pending(), 0U);
}

TEST_F(Stream, ItIsAskedForLikeACallAndToldOfNoDeadline) {
    const auto under_way = listen(answered({}, "0"));
    loop->run_until_idle();
    ASSERT_EQ(loop->requests().size(), 1U);
    const http::request sent = loop->requests()[0].what;
    EXPECT_EQ(sent.url, "http://localhost:6000/externalscaler.ExternalScaler/StreamIsActive");
    EXPECT_TRUE(sent.is_http2);
    EXPECT_EQ(sent.find("te")->value.reveal(), "trailers");
    EXPECT_EQ(sent.find("grpc-timeout"), nullptr);
    EXPECT_NE(sent.body.reveal().find("llm"), std::string_view::npos);
    EXPECT_GE(sent.attempt_timeout_ms, 600'000);
    EXPECT_LT(sent.attempt_timeout_ms, 900'000);
}

TEST_F(Stream, AFailureIsTold) {
    const auto first = listen(answered({}, "14"));
    loop->run_until_idle();
    ended_with(status::unavailable, "UNAVAILABLE");
    EXPECT_NE(ended->why.message.find("StreamIsActive"), std::string::npos) << ended->why.message;
    EXPECT_FALSE(ended->is_unserved);
    EXPECT_EQ(loop->requests().size(), 1U) << "its holder repeats it";
    const auto second = listen(answered({}, "12"));
    loop->run_until_idle();
    ended_with(status::rejected, "UNIMPLEMENTED");
    EXPECT_TRUE(ended->is_unserved);
    const auto third = listen(testing::scripted_fault(http::fault::reset));
    loop->run_until_idle();
    ended_with(status::unavailable, "enableTLS");
}

TEST_F(Stream, WhoHasSpokenPlainTextIsNotSaidToWantTls) {
    const auto reset_after = [](std::vector<std::pair<std::int64_t, std::string>> words) {
        scripted_answer out = testing::scripted_fault(http::fault::reset);
        out.what.response.status = 200;
        out.delay_ms = 9'000;
        out.later = std::move(words);
        return out;
    };
    const auto broken = listen(reset_after({{2'000, active}}));
    loop->run_until_idle();
    ended_with(status::unavailable, "reset");
    EXPECT_EQ(heard.size(), 1U);
    EXPECT_EQ(ended->why.message.find("enableTLS"), std::string::npos) << ended->why.message;

    ended.reset();  // nor where calls were answered and the stream was silent
    const auto silent = listen(reset_after({}));
    loop->answer_next(answered(testing::framed("\x0a\x05\x0a\x01q\x10\x05"), "0", 10));
    const auto poll = source->fetch(loop->wall_ms(), loop->steady_ms() + 5'000, [](const source::fetched&) {});
    loop->run_until_idle();
    ended_with(status::unavailable, "reset");
    EXPECT_EQ(ended->why.message.find("enableTLS"), std::string::npos) << ended->why.message;
}

TEST_F(Stream, WhatCannotBeReadEndsItAtOnce) {
    const std::string large = "\0\0\0\x10\x01"s + std::string(100, 'x');
    const std::string compressed = "\1\0\0\0\2\x08\x01"s;
    const struct {
        std::string body;
        const char* words;
    } cases[] = {{large, "4097 bytes"},
                 {compressed, "compressed"},
                 {"{\"a\":1}", "does not begin"},
                 {testing::framed("\xff"), "IsActiveResponse"}};
    for (const auto& test_case : cases) {
        heard.clear();
        ended.reset();
        const auto under_way = listen(answered(active + test_case.body + active, "0", 400'000));
        loop->advance(1);
        EXPECT_EQ(heard, (std::vector{true}))
            << test_case.words << ": what came before it was good, and nothing after it is";
        ended_with(test_case.body == large ? status::limit : status::protocol, test_case.words);
    }
}

TEST_F(Stream, AnEndWithinAMessageIsNone) {
    const auto under_way = listen(answered(active + active.substr(0, 4), "0"));
    loop->run_until_idle();
    ended_with(status::protocol, "within a message");
}

TEST_F(Stream, WhoNeverPausesIsNotListenedTo) {
    scripted_answer answer = answered({}, "0", 500'000);
    std::string mebibyte;
    while (mebibyte.size() < (std::size_t{1} << 20)) mebibyte += active;
    answer.later = {{1'000, mebibyte.substr(0, mebibyte.size() - 70)}, {70'000, active}, {71'000, mebibyte}};
    const auto under_way = listen(std::move(answer));
    loop->advance(70'500);
    EXPECT_FALSE(ended) << "a minute's allowance";
    EXPECT_FALSE(heard.empty());
    loop->advance(500);
    ended_with(status::limit, "in a minute");
}

TEST_F(Stream, ItsTimeIsOverWithoutAnError) {
    const auto under_way = listen(answered(active, "0", 100'000'000));
    loop->advance(900'000);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->why.status, status::ok) << ended->why.message;
    EXPECT_TRUE(ended->is_over_time);
    EXPECT_EQ(heard, (std::vector{true}));
}

TEST_F(Stream, CancelledItSaysNothingMore) {
    scripted_answer answer = answered(active, "0", 9'000);
    answer.later = {{2'000, idle}};
    const auto under_way = listen(std::move(answer));
    loop->advance(1'000);
    under_way->cancel();
    loop->run_until_idle();
    EXPECT_EQ(heard, (std::vector{true}));
    EXPECT_FALSE(ended);
}

TEST_F(Stream, ASecretOfTheEnvironmentTravelsAsWithACall) {
    trigger.metadata["keyFromEnv"] = "KEY";
    trigger.resolved_env["KEY"] = secret_text("planted"sv);
    scripted_answer answer = answered({}, "3");
    answer.what.response.headers.push_back({"grpc-message", "bad key planted"});
    const auto under_way = listen(std::move(answer));
    loop->run_until_idle();
    ended_with(status::rejected, "bad key");
    EXPECT_EQ(ended->why.message.find("planted"), std::string::npos) << ended->why.message;
    trigger.metadata["scalerAddress"] = "192.0.2.1:6000";
    const auto elsewhere = listen(answered(active, "0"));
    loop->run_until_idle();
    ended_with(status::security, "plain http");
    EXPECT_EQ(loop->requests().size(), 1U) << "nothing was sent";
}

TEST(FrameCutter, AnyBorders) {
    const std::string whole = active + idle + testing::framed(std::string(200, 'x')) + active;
    for (std::size_t piece = 1; piece < whole.size(); ++piece) {
        frame_cutter cutter;
        std::vector<std::size_t> sizes;
        for (std::string_view left = whole; !left.empty(); left.remove_prefix(std::min(piece, left.size()))) {
            ASSERT_TRUE(cutter.feed(left.substr(0, piece), [&sizes](std::string_view message) -> result<void> {
                sizes.push_back(message.size());
                return {};
            }));
        }
        EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 0, 200, 2})) << piece;
        EXPECT_FALSE(cutter.has_rest());
    }
}

}  // namespace
}  // namespace gputide
