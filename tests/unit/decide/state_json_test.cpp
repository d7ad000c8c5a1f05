// A state in words: out, in again, and what is refused.
#include "decide/state/text.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gputide::decide {
namespace {

using nlohmann::json;
using scene::driven;
using scene::value;

driven busy() {
    policy by = scene::scaled_object(0);
    by.scaling.behavior = scene::default_behavior();
    by.scaling.fallback = config::fallback{3, 6};
    by.fallback_on = true;
    by.scaling.extra.confirm_k = 1;
    by.scaling.extra.confirm_n = 3;
    by.metrics.push_back(scene::metric("s1-\"odd\\name\"", 7000));
    driven one(by, 2);
    for (std::int64_t at = 0; at < 600'000; at += 15'000) {
        one.tick(at, {value(10.1 + static_cast<double>(at / 15'000 % 7)), scene::no_value(sample_state::timeout)});
    }
    return one;
}

std::string refusal(const std::string& text) {
    const driven one = busy();
    const result<state> back = read_state(one.by, text);
    if (back.ok()) return "taken";
    EXPECT_EQ(back.failure().status, status::state);
    return back.failure().where.text() + ": " + back.failure().message;
}

TEST(StateJson, ComesBackAsItWas) {
    const driven one = busy();
    const result<state> back = read_state(one.by, describe_state(one.by, one.with));
    ASSERT_TRUE(back.ok()) << back.failure().where.text() << ": " << back.failure().message;
    EXPECT_EQ(save_state(one.by, *back), save_state(one.by, one.with));
    EXPECT_EQ(back->newest_ms, one.with.newest_ms);
}

TEST(StateJson, SaysItInTheWordsOfTheCases) {
    const driven one = busy();
    const json got = json::parse(describe_state(one.by, one.with));
    EXPECT_EQ(got.at("name"), "web");
    EXPECT_EQ(got.at("health").at("s1-\"odd\\name\"").at("status"), "Failing");
    EXPECT_EQ(got.at("health").at("s1-\"odd\\name\"").at("failures"), one.with.health[1].failures);
    EXPECT_EQ(got.at("health").at("s0-prometheus").at("last").at("state"), "ok");
    ASSERT_FALSE(got.at("history").empty());
    EXPECT_EQ(got.at("history").at(0).at("replicas"), one.with.recommendations[0].replicas);
    ASSERT_FALSE(got.at("up_events").empty());
    EXPECT_EQ(got.at("up_events").at(0).at("change"), one.with.ups[0].change);
    EXPECT_EQ(got.at("last_active_ms"), one.with.last_active_ms);
    EXPECT_EQ(got.at("conditions").at(0).at("type"), "AbleToScale");
    EXPECT_EQ(got.at("verdict").at("limited_by"), limit_name(one.with.last_verdict.limited_by));
}

TEST(StateJson, WhatIsLeftOutIsFresh) {
    const driven one = busy();
    const result<state> empty = read_state(one.by, "{}");
    ASSERT_TRUE(empty.ok()) << empty.failure().message;
    EXPECT_EQ(save_state(one.by, *empty), save_state(one.by, make_state(one.by)));
    const result<state> history = read_state(one.by, R"({"history":[{"replicas":4,"time_ms":1000}]})");
    ASSERT_TRUE(history.ok()) << history.failure().message;
    EXPECT_TRUE(history->seen);
    ASSERT_EQ(history->recommendations.size(), 1U);
    EXPECT_EQ(history->recommendations[0].replicas, 4);
}

TEST(StateJson, RefusesWhatCannotBe) {
    EXPECT_NE(refusal("{").find("not valid JSON"), std::string::npos);
    EXPECT_NE(refusal("[]").find("expected an object"), std::string::npos);
    EXPECT_EQ(refusal(R"({"histroy":[]})"), "histroy: expected no member of this name");
    EXPECT_EQ(refusal(R"({"name":"api"})"), "name: expected \"web\"");
    EXPECT_EQ(refusal(R"({"history":{}})"), "history: expected a list");
    EXPECT_EQ(refusal(R"({"seen":1})"), "seen: expected true or false");
    EXPECT_EQ(refusal(R"({"history":[{"replicas":"4","time_ms":1}]})").substr(0, 19), "history[0].replicas");
    EXPECT_EQ(refusal(R"({"up_events":[{"change":0,"time_ms":1}]})").substr(0, 19), "up_events[0].change");
    EXPECT_EQ(refusal(R"({"health":{"nobody":{}}})"), "health.nobody: expected a metric of the policy");
    EXPECT_EQ(refusal(R"({"conditions":[{"type":"Happy"}]})").substr(0, 18), "conditions[0].type");
    EXPECT_EQ(refusal(R"({"confirmations":[1,1,1,1]})"), "confirmations: expected at most 3 items");
    EXPECT_EQ(refusal(R"({"confirmations":[2]})"), "confirmations[0]: expected a whole number from -1 to 1");
    EXPECT_EQ(refusal(R"({"last_active_ms":9e99})").substr(0, 14), "last_active_ms");
    EXPECT_EQ(refusal(R"({"verdict":{"winner":"nobody"}})"), "verdict.winner: expected a metric of the policy");
}

TEST(StateJson, EveryCutIsRefused) {
    const driven one = busy();
    const std::string text = describe_state(one.by, one.with);
    for (std::size_t size = 0; size < text.size(); ++size) {
        EXPECT_FALSE(read_state(one.by, std::string_view(text).substr(0, size)).ok()) << size;
    }
}

}  // namespace
}  // namespace gputide::decide
