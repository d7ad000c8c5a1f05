// Tests which of many happenings become Kubernetes events.
#include "kubernetes/controller/events.hpp"

#include "support/answers.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t wall_ms = 1'772'362'800'000;  // 2026-03-01T11:00:00Z

class Events : public ::testing::Test {
  protected:
    event_request happens(const std::string& message, std::int64_t now_ms = 0, const std::string& name = "llm") {
        return of.next({{"ml", name}, "u1", false, "SuccessfulRescale", message}, now_ms, wall_ms + now_ms);
    }
    static bool has(const event_request& in, const std::string& part) {
        return in.body.find(part) != std::string::npos;
    }
    event_correlator of{"a"};
};

TEST_F(Events, TheFirstIsMadeAndTheSameIsCounted) {
    const event_request first = happens("New size: 5");
    EXPECT_EQ(first.step, event_step::create);
    EXPECT_EQ(first.name.substr(0, 4), "llm.");
    EXPECT_EQ(first.body,
              R"({"apiVersion":"v1","kind":"Event","metadata":{"name":")" + first.name +
                  R"(","namespace":"ml"},"involvedObject":{"apiVersion":"keda.sh/v1alpha1",)"
                  R"("kind":"ScaledObject","namespace":"ml","name":"llm","uid":"u1"},"type":"Normal",)"
                  R"("reason":"SuccessfulRescale","message":"New size: 5","source":{"component":"gputide"},)"
                  R"("reportingComponent":"gputide","reportingInstance":"a",)"
                  R"("firstTimestamp":"2026-03-01T11:00:00Z","lastTimestamp":"2026-03-01T11:00:00Z",)"
                  R"("count":1})");
    const event_request again = happens("New size: 5", 60'000);
    EXPECT_EQ(again.step, event_step::patch);
    EXPECT_EQ(again.name, first.name);
    EXPECT_EQ(again.body, R"({"message":"New size: 5","count":2,"lastTimestamp":"2026-03-01T11:01:00Z"})");
    EXPECT_EQ(happens("New size: 6").step, event_step::create);
}

TEST_F(Events, TwoThatAreMadeAtOnceHaveTheirOwnNames) { EXPECT_NE(happens("a").name, happens("b").name); }

TEST_F(Events, TenWordingsBecomeOneEvent) {
    for (int size = 1; size < 10; ++size) {
        EXPECT_EQ(happens("New size: " + std::to_string(size), size * 1'000).step, event_step::create);
    }
    const event_request tenth = happens("New size: 10", 10'000);
    EXPECT_EQ(tenth.step, event_step::create);
    EXPECT_TRUE(has(tenth, R"("message":"(combined from similar events): New size: 10")")) << tenth.body;
    const event_request next = happens("New size: 11", 11'000);
    EXPECT_EQ(next.step, event_step::patch);
    EXPECT_EQ(next.name, tenth.name);
    EXPECT_TRUE(has(next, R"((combined from similar events): New size: 11","count":2)")) << next.body;
    // After ten quiet minutes each speaks for itself again.
    EXPECT_FALSE(has(happens("New size: 12", 700'000), "combined"));
}

TEST_F(Events, EachObjectHasSoMany) {
    int sent = 0;
    for (int i = 0; i < 100; ++i) sent += happens("the same").step == event_step::drop ? 0 : 1;
    EXPECT_EQ(sent, 25);
    EXPECT_NE(happens("the same", 0, "other").step, event_step::drop);
    EXPECT_EQ(happens("the same", 299'000).step, event_step::drop);
    EXPECT_EQ(happens("the same", 300'000).step, event_step::patch);
    EXPECT_EQ(happens("the same", 300'000).step, event_step::drop);
}

TEST_F(Events, WhatIsForgottenIsMadeAnew) {
    of.forget(happens("a").name);
    EXPECT_EQ(happens("a").step, event_step::create);
}

TEST_F(Events, AMessageIsCutToWhatTheServerTakes) {
    const event_request long_one = happens(std::string(3'000, 'x'));
    EXPECT_TRUE(has(long_one, "\"" + std::string(1'024, 'x') + "\"")) << long_one.body.size();
}

TEST_F(Events, ManyObjectsDoNotGrowItForEver) {
    for (int i = 0; i < 5'000; ++i) happens("a", i, "llm-" + std::to_string(i));
    EXPECT_EQ(happens("a", 5'000, "llm-4999").step, event_step::patch);
    EXPECT_EQ(happens("a", 5'000, "llm-0").step, event_step::create);  // it was the oldest
}

// Events that wait for their turn, that fail, and that are never taken.

constexpr std::int64_t event_reply_ms = 8'000;

testing::scripted_answer refused(int code) {
    return testing::scripted(
        code, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)" + std::to_string(code) + "}");
}

struct events : ::testing::Test {
    void SetUp() override {
        loop->answer_with([this](const http::request& request) { return answer(request); });
    }
    testing::scripted_answer answer(const http::request& request) {
        ++asked;
        if (request.method == "PATCH") ++patches;
        return answers(request);
    }
    bool send(const std::string& message, const std::string& name_space = "ml") {
        return sender->send({{name_space, "llm"}, "u1", true, "FailedRescale", message});
    }
    // As the cluster's tick does.
    void run(std::int64_t ms) {
        for (std::int64_t at_ms = 0; at_ms < ms; at_ms += 1'000) {
            loop->advance(1'000);
            sender->tick();
        }
    }

    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    std::shared_ptr<kubernetes::api> api = std::make_shared<kubernetes::api>(
        loop, kube::access{"https://api.test:6443", "own", true, auth::authenticator()});
    std::shared_ptr<event_sender> sender = std::make_shared<event_sender>(api, "a");
    std::function<testing::scripted_answer(const http::request&)> answers = [](const http::request&) {
        return testing::scripted(201, "{}");
    };
    int asked = 0, patches = 0;
};

// Two of a namespace are under way at a time: the last one waits for longer than any request may take.
TEST_F(events, that_wait_for_their_turn_are_sent) {
    answers = [](const http::request&) {
        auto out = testing::scripted(201, "{}");
        out.delay_ms = event_reply_ms;
        return out;
    };
    for (const char* message : {"a", "b", "c", "d", "e", "f"}) EXPECT_TRUE(send(message));
    run(4 * event_reply_ms);
    EXPECT_EQ(asked, 6);
    EXPECT_EQ(sender->counted().sent, 6U);
    EXPECT_EQ(sender->counted().failures, 0U);
}

TEST_F(events, that_fail_are_sent_again) {
    for (const int code : {500, 503, 429, 504}) {
        SCOPED_TRACE(code);
        asked = 0;
        answers = [this, code](const http::request&) {
            return asked < 3 ? refused(code) : testing::scripted(201, "{}");
        };
        EXPECT_TRUE(send(std::to_string(code)));
        run(60'000);
        EXPECT_EQ(asked, 3);
        EXPECT_EQ(sender->waiting(), 0U);
    }
    EXPECT_EQ(sender->counted().sent, 4U);
}

// The first try was stored, and its response was lost.
TEST_F(events, that_are_there_already_were_sent) {
    answers = [this](const http::request&) { return refused(asked == 1 ? 500 : 409); };
    EXPECT_TRUE(send("a"));
    run(60'000);
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(sender->counted().sent, 1U);
}

TEST_F(events, that_the_server_refuses_are_given_up) {
    for (const int code : {422, 404}) {
        asked = 0;
        answers = [code](const http::request&) { return refused(code); };
        EXPECT_TRUE(send(std::to_string(code)));
        run(60'000);
        EXPECT_EQ(asked, 1) << code;
        EXPECT_EQ(sender->waiting(), 0U);
    }
}

TEST_F(events, are_given_up_after_twelve_failures) {
    answers = [](const http::request&) { return refused(500); };
    EXPECT_TRUE(send("a"));
    run(300'000);
    EXPECT_EQ(asked, 12);
    EXPECT_EQ(sender->waiting(), 0U);
}

TEST_F(events, wait_for_the_right_to_them) {
    answers = [](const http::request&) { return refused(403); };
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(send("x", "ml-" + std::to_string(i)));
    loop->advance(1'000);
    EXPECT_LE(asked, 4) << "no more than were under way";
    answers = [](const http::request&) { return testing::scripted(201, "{}"); };
    run(60'000);
    EXPECT_EQ(sender->counted().sent, 20U);
}

TEST_F(events, that_are_counted_when_they_are_gone_are_made_anew) {
    EXPECT_TRUE(send("a"));
    run(1'000);
    answers = [](const http::request& request) {
        return request.method == "PATCH" ? refused(404) : testing::scripted(201, "{}");
    };
    EXPECT_TRUE(send("a"));
    run(1'000);
    EXPECT_EQ(patches, 1);
    EXPECT_EQ(asked, 3);
    EXPECT_EQ(sender->counted().sent, 2U);
}

TEST_F(events, beyond_the_bound_are_not_taken) {
    answers = [](const http::request&) { return refused(403); };
    for (std::size_t i = 0; i < max_waiting_events; ++i) EXPECT_TRUE(send("x", "ml-" + std::to_string(i)));
    EXPECT_FALSE(send("x", "another"));
    EXPECT_EQ(sender->waiting(), max_waiting_events);
}

}  // namespace

}  // namespace gputide::kubernetes
