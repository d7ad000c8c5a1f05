// Tests which of many happenings become Kubernetes events.
#include "kubernetes/controller/events.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gputide::kubernetes
