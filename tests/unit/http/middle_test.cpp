// Limits, lines, breakers and shared answers over a scripted loop; a breaker by itself.
#include "http/middle/traffic.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gputide::http {
namespace {

using gputide::testing::scripted;
using gputide::testing::scripted_fault;

http::request to(const std::string& url) {
    http::request out;
    out.url = url;
    return out;
}

struct road {
    explicit road(const traffic_limits& limits) : on(loop, limits) {}

    http::ticket send(const std::string& url, std::int64_t timeout_ms = 10'000) {
        return on.send(to(url), loop->steady_ms() + timeout_ms,
                       [this](http::answer got) { got_.push_back(std::move(got)); });
    }
    void answer_after(std::int64_t delay_ms, http::fault what = http::fault::none) {
        loop->answer_with([=](const http::request&) {
            auto out = what == http::fault::none ? scripted(200, "ok") : scripted_fault(what, "no");
            out.delay_ms = delay_ms;
            return out;
        });
    }

    std::shared_ptr<gputide::testing::scripted_loop> loop = std::make_shared<gputide::testing::scripted_loop>();
    traffic on;
    std::vector<http::answer> got_;
};

TEST(Traffic, SendsSoManyAtOnceAndAllInTheEnd) {
    road r({10, 4, {}});
    r.answer_after(100);
    for (int i = 0; i < 20; ++i) r.send("http://127.0.0.1:1/a?n=" + std::to_string(i));
    EXPECT_EQ(r.loop->requests().size(), 4U);
    EXPECT_EQ(r.on.stats().waiting, 16U);
    r.loop->advance(100);
    EXPECT_EQ(r.loop->requests().size(), 8U) << "the line moves up at once";
    r.loop->advance(400);
    EXPECT_EQ(r.got_.size(), 20U);
    EXPECT_EQ(r.on.stats().in_flight, 0);
    EXPECT_EQ(r.loop->pending(), 0U) << "no timer is left behind";
}

TEST(Traffic, EndpointsTakeTurnsWhereAllTogetherAreTooMany) {
    road r({4, 4, {}});
    r.answer_after(100);
    for (int i = 0; i < 40; ++i) r.send("http://127.0.0.1:1/");
    for (int i = 0; i < 4; ++i) r.send("http://127.0.0.1:2/");
    r.loop->advance(300);
    std::set<std::string> asked;
    for (const auto& request : r.loop->requests()) asked.insert(request.what.url);
    EXPECT_EQ(asked.size(), 2U) << "the short line does not wait for the long one";
    r.loop->advance(2'000);
    EXPECT_EQ(r.got_.size(), 44U);
}

TEST(Traffic, WaitingEndsAtTheDeadline) {
    road r({10, 1, {}});
    r.answer_after(5'000);
    r.send("http://127.0.0.1:1/");
    r.send("http://127.0.0.1:1/", 1'000);
    r.loop->advance(1'000);
    ASSERT_EQ(r.got_.size(), 1U);
    EXPECT_EQ(r.got_[0].fault, http::fault::deadline);
    EXPECT_EQ(r.on.stats().waiting, 0U);
}

TEST(Traffic, AProxyIsNamedForAQuarterOfAnHour) {
    road r({10, 1, {}});
    r.loop->answer_with([](const http::request&) {
        auto out = scripted(200, "ok");
        out.what.roots = "127.0.0.1:3128 (http_proxy)";
        return out;
    });
    r.send("http://prometheus.example/");
    r.loop->advance(10 * 60'000);
    EXPECT_EQ(r.on.stats().endpoints.at(0).proxy, "127.0.0.1:3128 (http_proxy)");
    r.loop->advance(6 * 60'000);
    EXPECT_EQ(r.on.stats().endpoints.at(0).proxy, "") << "nothing asks it any more";
}

TEST(Traffic, ACancelledRequestGivesItsPlaceToTheNext) {
    road r({10, 1, {}});
    r.answer_after(1'000);
    const http::ticket first = r.send("http://127.0.0.1:1/first");
    const http::ticket second = r.send("http://127.0.0.1:1/second");
    r.send("http://127.0.0.1:1/third");
    r.on.cancel(second);
    r.on.cancel(first);
    r.loop->advance(1'000);
    ASSERT_EQ(r.got_.size(), 1U);
    EXPECT_EQ(r.loop->requests().back().what.url, "http://127.0.0.1:1/third");
    EXPECT_EQ(r.on.stats().in_flight, 0);
}

TEST(Traffic, ADeadEndpointIsLeftAloneAndItsLineIsTold) {
    road r({100, 2, {3, 1'000, 60'000}});
    r.answer_after(10, http::fault::connect);
    for (int i = 0; i < 10; ++i) r.send("http://127.0.0.1:1/");
    r.loop->advance(100);
    ASSERT_EQ(r.got_.size(), 10U);
    EXPECT_LE(r.loop->requests().size(), 4U);
    const auto held = [](const http::answer& got) { return got.held; };
    EXPECT_GE(std::count_if(r.got_.begin(), r.got_.end(), held), 6);
    const http::answer told = *std::find_if(r.got_.begin(), r.got_.end(), held);
    EXPECT_EQ(told.fault, http::fault::connect);
    EXPECT_NE(told.fault_text.find("in a row"), std::string::npos) << told.fault_text;
    const auto stats = r.on.stats();
    ASSERT_EQ(stats.endpoints.size(), 1U);
    EXPECT_EQ(stats.endpoints[0].state, circuit::open);
    EXPECT_EQ(stats.endpoints[0].name, "http://127.0.0.1:1");

    r.answer_after(10);
    r.loop->advance(1'100);
    const std::size_t before = r.loop->requests().size();
    r.send("http://127.0.0.1:1/trial");
    r.send("http://127.0.0.1:1/held");
    r.loop->advance(10);
    EXPECT_EQ(r.loop->requests().size() - before, 1U);
    r.send("http://127.0.0.1:1/again");
    r.loop->advance(10);
    EXPECT_EQ(r.got_.back().response.status, 200);
}

// A request with failing settings is left alone; others to the same endpoint are not affected.
class OneSendersFault : public ::testing::TestWithParam<std::pair<http::fault, void (*)(http::request&)>> {};

TEST_P(OneSendersFault, IsNobodyElses) {
    const auto [what, spoil] = GetParam();
    road r({100, 4, {3, 1'000, 60'000}});
    http::request spoilt = to("http://127.0.0.1:1/");
    spoil(spoilt);
    const auto is_spoilt = [&](const http::request& request) {
        return request.attempt_timeout_ms == spoilt.attempt_timeout_ms &&
               request.headers.size() == spoilt.headers.size() && (request.tls != nullptr) == (spoilt.tls != nullptr);
    };
    r.loop->answer_with([=, kind = what](const http::request& request) {
        return is_spoilt(request) ? scripted_fault(kind, "no") : scripted(200, "ok");
    });
    int healthy = 0, held = 0;
    for (int i = 0; i < 15; ++i) {
        r.on.send(spoilt, r.loop->steady_ms() + 10'000, [&](const http::answer& got) { held += got.held ? 1 : 0; });
        r.loop->advance(0);
        r.on.send(to("http://127.0.0.1:1/"), r.loop->steady_ms() + 10'000,
                  [&](const http::answer& got) { healthy += got.response.status == 200 ? 1 : 0; });
        r.loop->advance(0);
    }
    EXPECT_EQ(healthy, 15);
    EXPECT_EQ(held, 12) << "three failures in a row, then it is left alone";
    const auto stats = r.on.stats();
    ASSERT_EQ(stats.endpoints.size(), 1U);
    EXPECT_EQ(stats.endpoints[0].state, circuit::closed);
    EXPECT_EQ(stats.endpoints[0].failing_senders, 1U);

    r.loop->answer_with([](const http::request&) { return scripted(200, "ok"); });
    r.loop->advance(1'100);
    r.on.send(spoilt, r.loop->steady_ms() + 10'000, [](const http::answer& got) { EXPECT_FALSE(got.held); });
    r.loop->advance(0);
    EXPECT_EQ(r.on.stats().endpoints[0].failing_senders, 0U) << "mended and forgotten";
}

INSTANTIATE_TEST_SUITE_P(Traffic, OneSendersFault,
                         ::testing::Values(std::pair(
                                               http::fault::timeout,
                                               +[](http::request& request) { request.attempt_timeout_ms = 1; }),
                                           std::pair(
                                               http::fault::tls_verify,
                                               +[](http::request& request) {
                                                   auto tls = std::make_shared<tls_settings>();
                                                   tls->ca_pem = "another CA";
                                                   request.tls = std::move(tls);
                                               }),
                                           std::pair(
                                               http::fault::deadline, +[](http::request& request) {
                                                   request.set("Authorization", "Bearer other");
                                               })));

TEST(Traffic, ATrialWhoseAnswerIsTooLargeIsOver) {
    road r({10, 2, {1, 1'000, 60'000}});
    r.answer_after(0, http::fault::connect);
    r.send("http://127.0.0.1:1/");
    r.loop->advance(1'100);
    r.answer_after(0, http::fault::too_large);
    r.send("http://127.0.0.1:1/");
    r.loop->advance(0);
    r.send("http://127.0.0.1:1/");
    r.loop->advance(0);
    ASSERT_EQ(r.got_.size(), 3U);
    EXPECT_FALSE(r.got_[1].held);
    EXPECT_FALSE(r.got_[2].held) << "the endpoint answers: it is asked again";
}

TEST(Traffic, AQuotaIsItsOwnersOwn) {
    road r({10, 2, {}});
    const auto ask = [&](const std::string& token) {
        http::request request = to("http://127.0.0.1:1/");
        request.set("Authorization", "Bearer " + token);
        http::answer out;
        r.on.send(request, r.loop->steady_ms() + 10'000, [&](http::answer got) { out = std::move(got); });
        r.loop->advance(0);
        return out;
    };
    r.loop->answer_next(scripted(429, "", {{"Retry-After", "30"}}));
    r.loop->answer_next(scripted(200, "ok"));
    EXPECT_EQ(ask("spent").response.status, 429);
    EXPECT_EQ(ask("other").response.status, 200);
    const http::answer again = ask("spent");
    EXPECT_TRUE(again.held);
    EXPECT_EQ(again.response.header("Retry-After"), "30");
}

TEST(Traffic, AnAskedWaitIsPassedOn) {
    road r({10, 2, {}});
    r.loop->answer_next(scripted(429, "", {{"Retry-After", "30"}}));
    r.send("http://127.0.0.1:1/");
    r.loop->advance(1'000);
    r.send("http://127.0.0.1:1/");
    r.loop->advance(0);
    ASSERT_EQ(r.got_.size(), 2U);
    EXPECT_TRUE(r.got_[1].held);
    EXPECT_EQ(r.got_[1].response.status, 429);
    EXPECT_EQ(r.got_[1].response.header("Retry-After"), "29");
    EXPECT_EQ(r.loop->requests().size(), 1U);
}

TEST(Traffic, ForgetsEndpointsThatNobodyAsksAnyMore) {
    road r({10, 2, {}});
    r.answer_after(0);
    for (int i = 0; i < 5'000; ++i) {
        r.send("http://127.0.0.1:" + std::to_string(1 + i) + "/");
        r.loop->advance(0);
    }
    EXPECT_LE(r.on.stats().endpoint_count, 257U);
}

constexpr traffic_limits sharing_limits{10, 10, {}, 5'000};

TEST(Sharing, OneRequestServesAllWhoAskTheSame) {
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    traffic on(loop, sharing_limits);
    int answers = 0;
    const auto ask = [&](const std::string& token) {
        http::request what = to("http://127.0.0.1:1/q");
        what.headers.push_back({"Authorization", secret_text(token)});
        return on.send_shared(what, loop->steady_ms() + 10'000, [&](const http::answer&) { ++answers; });
    };
    loop->answer_with([](const http::request&) {
        auto out = scripted(200, "ok");
        out.delay_ms = 100;
        return out;
    });
    ask("Bearer a");
    const http::ticket gone = ask("Bearer a");
    ask("Bearer a");
    ask("Bearer b");
    EXPECT_EQ(loop->requests().size(), 2U) << "another credential is another question";
    on.cancel(gone);
    loop->advance(100);
    EXPECT_EQ(answers, 3);
    ask("Bearer a");
    loop->advance(4'000);
    EXPECT_EQ(answers, 4);
    EXPECT_EQ(loop->requests().size(), 2U) << "a fresh answer serves once more";
    loop->advance(2'000);
    ask("Bearer a");
    EXPECT_EQ(loop->requests().size(), 3U) << "an old one does not";
    loop->advance(10'000);
    EXPECT_EQ(on.stats().shared, 3U);
}

TEST(Sharing, KeysThatSignAreACredential) {
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    loop->answer_with([](const http::request& request) {
        return scripted(request.signing->secret_access_key.reveal() == "good" ? 200 : 403, "numbers");
    });
    traffic on(loop, sharing_limits);
    const auto ask = [&](const std::string& secret) {
        http::request request = to("http://127.0.0.1:1/");
        request.signing =
            std::make_shared<aws_signing>(aws_signing{"eu-west-1", "aps", "AKID", secret_text(std::string(secret))});
        std::int32_t status = 0;
        on.send_shared(request, loop->steady_ms() + 10'000,
                       [&](const http::answer& got) { status = got.response.status; });
        loop->advance(0);
        return status;
    };
    EXPECT_EQ(ask("good"), 200);
    EXPECT_EQ(ask("bad"), 403) << "bad keys got the numbers of good ones";
    EXPECT_EQ(ask("good"), 200);
    EXPECT_EQ(on.stats().shared, 1U);
}

TEST(Sharing, WhenTheLastAskerGoesTheRequestGoesToo) {
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    traffic on(loop, sharing_limits);
    loop->answer_with([](const http::request&) {
        auto out = scripted(503);
        out.delay_ms = 100;
        return out;
    });
    const auto none = [](const http::answer&) { FAIL(); };
    const http::ticket ticket = on.send_shared(to("http://127.0.0.1:1/q"), loop->steady_ms() + 10'000, none);
    const http::ticket two = on.send_shared(to("http://127.0.0.1:1/q"), loop->steady_ms() + 10'000, none);
    on.cancel(ticket);
    on.cancel(two);
    EXPECT_EQ(loop->pending(), 0U);
    int failures = 0;
    for (int i = 0; i < 2; ++i) {
        on.send_shared(to("http://127.0.0.1:1/q"), loop->steady_ms() + 10'000,
                       [&](const http::answer&) { ++failures; });
        loop->advance(100);
    }
    EXPECT_EQ(failures, 2);
    EXPECT_EQ(loop->requests().size(), 3U) << "a failure is not kept";
}

TEST(Middleware, HandsOnTheTicketsOfTimersAndKnowsItsOwn) {
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    traffic on(loop, {10, 1, {}, 5'000});
    loop->answer_with([](const http::request&) {
        auto out = scripted(200, "ok");
        out.delay_ms = 100;
        return out;
    });
    const auto never = [](const http::answer&) { FAIL(); };
    std::set<http::ticket> all;
    all.insert(on.after(10, [] { FAIL(); }));
    all.insert(on.send_shared(to("http://127.0.0.1:1/a"), loop->steady_ms() + 10'000, never));
    all.insert(on.send_shared(to("http://127.0.0.1:1/b"), loop->steady_ms() + 10'000, never));  // waits in line
    all.insert(on.send(to("http://127.0.0.1:1/c"), loop->steady_ms() + 10'000, never));
    EXPECT_EQ(all.size(), 4U) << "no number is given twice";
    for (const http::ticket ticket : all) on.cancel(ticket);
    loop->advance(10'000);
    EXPECT_EQ(loop->pending(), 0U);
    EXPECT_EQ(on.stats().in_flight, 0);
    EXPECT_EQ(on.stats().waiting, 0U);
}

constexpr breaker_rule rule{3, 1'000, 10'000};
constexpr double middle = 0.5;  // no jitter

TEST(Breaker, OpensAfterFailuresInARowAlone) {
    breaker on;
    for (int i = 0; i < 10; ++i) {
        on.failed(rule, 0, middle);
        on.failed(rule, 0, middle);
        on.succeeded();
        EXPECT_TRUE(on.admit(0));
    }
    for (int i = 0; i < 3; ++i) on.failed(rule, 0, middle);
    EXPECT_EQ(on.state(), circuit::open);
    EXPECT_FALSE(on.admit(999));
}

TEST(Breaker, LetsOneTrialThroughAndDoublesItsWait) {
    breaker on;
    for (int i = 0; i < 3; ++i) on.failed(rule, 0, middle);
    std::int64_t now = 0;
    for (const std::int64_t wait : {1'000, 2'000, 4'000, 8'000, 10'000, 10'000}) {
        EXPECT_EQ(on.until_ms() - now, wait);
        now = on.until_ms();
        EXPECT_FALSE(on.admit(now - 1));
        EXPECT_TRUE(on.admit(now));
        EXPECT_FALSE(on.admit(now)) << "one trial at a time";
        on.failed(rule, now, middle);
    }
    now = on.until_ms();
    EXPECT_TRUE(on.admit(now));
    on.succeeded();
    EXPECT_EQ(on.state(), circuit::closed);
    for (int i = 0; i < 3; ++i) on.failed(rule, now, middle);
    EXPECT_EQ(on.until_ms() - now, 1'000) << "a success begins anew";
}

TEST(Breaker, ATrialWithoutAnEndAllowsAnother) {
    breaker on;
    for (int i = 0; i < 3; ++i) on.failed(rule, 0, middle);
    EXPECT_TRUE(on.admit(1'000));
    on.given_up();
    EXPECT_TRUE(on.admit(1'000));
}

TEST(Breaker, LateNewsDoNotCloseIt) {
    breaker on;
    for (int i = 0; i < 3; ++i) on.failed(rule, 0, middle);
    on.succeeded();
    EXPECT_EQ(on.state(), circuit::open);
    on.failed(rule, 500, middle);
    EXPECT_EQ(on.until_ms(), 1'000);
}

TEST(Breaker, HonorsAnAskedWaitUpToAnHour) {
    breaker on;
    on.note_asked_wait(30'000, 0);
    EXPECT_FALSE(on.admit(29'999));
    EXPECT_TRUE(on.admit(30'000));
    on.note_asked_wait(1'000'000'000, 30'000);
    EXPECT_EQ(on.until_ms(), 3'630'000);
}

}  // namespace
}  // namespace gputide::http
