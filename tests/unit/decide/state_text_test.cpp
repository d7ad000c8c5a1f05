// A state survives its text, and nothing but its own text is taken.
#include "base/checksum.hpp"
#include "decide/state/text.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gputide::decide {

namespace {

using scene::driven;
using scene::value;

policy busy_policy() {
    policy by = scene::scaled_object(0);
    by.scaling.behavior = scene::default_behavior();
    by.scaling.fallback = manifest::fallback{3, 6};
    by.fallback_on = true;
    by.metrics.push_back(scene::metric("s1-\"odd\\name\"", 7000));
    return by;
}

driven busy_week() {
    driven scaler(busy_policy(), 2);
    for (std::int64_t at = 0; at < 600'000; at += 15'000) {
        scaler.tick(at, {value(10.1 + static_cast<double>(at / 15'000 % 7)), scene::no_value(sample_state::timeout)});
    }
    return scaler;
}

std::string with_checksum(const std::string& body) {
    constexpr char digits[] = "0123456789abcdef";
    std::string hex(8, '0');
    std::uint32_t sum = crc32c(body);
    for (auto digit = hex.rbegin(); digit != hex.rend(); ++digit, sum >>= 4U) *digit = digits[sum & 15U];
    return body + ",\"crc32c\":\"" + hex + "\"}";
}

std::string body_of(const std::string& text) { return text.substr(0, text.find(",\"crc32c\"")); }

TEST(Checksum, IsCrc32c) {
    EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
    EXPECT_EQ(crc32c(""), 0U);
}

TEST(StateText, ComesBackAsItWas) {
    const driven scaler = busy_week();
    const std::string text = save_state(scaler.by, scaler.with);
    const result<state> back = load_state(scaler.by, text);
    ASSERT_TRUE(back.ok()) << back.failure().message;
    EXPECT_EQ(save_state(scaler.by, *back), text);
    EXPECT_EQ(back->recommendations.size(), scaler.with.recommendations.size());
    EXPECT_EQ(back->health[1].failures, scaler.with.health[1].failures);
    EXPECT_GT(back->health[1].failures, 3);
    EXPECT_TRUE(load_state(scaler.by, text + "\n").ok());
}

TEST(StateText, IsOneLineOfJson) {
    const driven scaler = busy_week();
    const std::string text = save_state(scaler.by, scaler.with);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const auto read = nlohmann::json::parse(text);
    EXPECT_EQ(read.at("gputide_state"), 5);
    EXPECT_EQ(read.at("name"), "web");
    EXPECT_EQ(read.at("metrics").at(1).at(0), "s1-\"odd\\name\"");
}

TEST(StateText, AFreshStateToo) {
    const policy by = busy_policy();
    const state fresh = make_state(by);
    const result<state> back = load_state(by, save_state(by, fresh));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->created_ms, absent);
    EXPECT_FALSE(back->seen);
}

TEST(StateText, EveryDamagedByteIsRefused) {
    const driven scaler = busy_week();
    const std::string text = save_state(scaler.by, scaler.with);
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string damaged = text;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        const result<state> back = load_state(scaler.by, damaged);
        ASSERT_FALSE(back.ok()) << "byte " << at;
        EXPECT_EQ(back.failure().status, status::state);
    }
}

TEST(StateText, EveryCutIsRefused) {
    const driven scaler = busy_week();
    const std::string text = save_state(scaler.by, scaler.with);
    for (std::size_t size = 0; size < text.size(); ++size) {
        EXPECT_FALSE(load_state(scaler.by, std::string_view(text).substr(0, size)).ok()) << size;
    }
    EXPECT_FALSE(load_state(scaler.by, text + " ").ok());
    EXPECT_FALSE(load_state(scaler.by, text + text).ok());
}

TEST(StateText, ValuesOutOfPlaceAreRefusedWithAGoodChecksum) {
    const driven scaler = busy_week();
    const std::string body = body_of(save_state(scaler.by, scaler.with));
    const auto refused = [&](const std::string& from, const std::string& to) {
        std::string changed = body;
        const std::size_t at = changed.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        changed.replace(at, from.size(), to);
        EXPECT_FALSE(load_state(scaler.by, with_checksum(changed)).ok()) << to;
    };
    EXPECT_TRUE(load_state(scaler.by, with_checksum(body)).ok());
    refused("\"seen\":true", "\"seen\":1");
    refused("\"ups\":[[", "\"ups\":[[-");
    refused("\"conditions\":[[1,", "\"conditions\":[[9,");
    refused("\"conditions\":[[", "\"conditions\":[[1,2,3],[");
    refused("\"recommendations\":[[", "\"recommendations\":[[99999999999,");
    refused("\"created\":", "\"created\": ");
    refused("\"confirmations\":[]", "\"confirmations\":[7]");
    refused(",\"metrics\"", ",\"other\":1,\"metrics\"");
}

TEST(StateText, AVerdictOnOtherMetricsIsDropped) {
    const driven scaler = busy_week();
    policy other = scaler.by;
    other.metrics.pop_back();
    const result<state> back = load_state(other, save_state(scaler.by, scaler.with), other_metrics::matched);
    ASSERT_TRUE(back.ok()) << back.failure().message;
    EXPECT_EQ(back->last_verdict.time_ms, absent);
}

TEST(StateText, KeepsSpecAndReads) {
    driven scaler = busy_week();
    scaler.with.spec = {7, 4'000'000'000};
    scaler.with.health[0].read = {scene::start_ms, -5, true, false, true};
    scaler.with.health[1].read = {scene::start_ms + 1, 42'000, false, true, false};
    scaler.with.health[1].last.activity = activity_word::active;
    const std::string text = save_state(scaler.by, scaler.with);
    const result<state> back = load_state(scaler.by, text);
    ASSERT_TRUE(back.ok()) << back.failure().message;
    EXPECT_EQ(save_state(scaler.by, *back), text);
    EXPECT_EQ(back->spec, scaler.with.spec);
    EXPECT_EQ(back->health[0].read.value_milli, -5);
    EXPECT_TRUE(back->health[0].read.fallback);
    EXPECT_TRUE(back->health[1].read.error);
}

TEST(StateText, AnotherNumberOfMetricsIsRefused) {
    const driven scaler = busy_week();
    policy other = scaler.by;
    other.metrics.pop_back();
    const result<state> back = load_state(other, save_state(scaler.by, scaler.with));
    ASSERT_FALSE(back.ok());
    EXPECT_EQ(back.failure().status, status::state);
    EXPECT_EQ(back.failure().where.path, "metrics");
    EXPECT_NE(back.failure().message.find("has 2 metrics, the policy has 1"), std::string::npos)
        << back.failure().message;
}

TEST(StateText, ANewerOneSaysSo) {
    const driven scaler = busy_week();
    const result<state> back = load_state(scaler.by, R"({"gputide_state":6,"all":"different"})");
    ASSERT_FALSE(back.ok());
    EXPECT_NE(back.failure().message.find("version 6 is newer than 5"), std::string::npos) << back.failure().message;
}

TEST(StateText, AnOlderOneSaysSo) {
    const driven scaler = busy_week();
    const result<state> back = load_state(scaler.by, R"({"gputide_state":4,"all":"different"})");
    ASSERT_FALSE(back.ok());
    EXPECT_NE(back.failure().message.find("version 4 is of an earlier build"), std::string::npos)
        << back.failure().message;
}

TEST(StateText, AForeignOneSaysWhose) {
    const driven scaler = busy_week();
    const std::string text = save_state(scaler.by, scaler.with);
    policy other = scaler.by;
    other.scaling.name = "api";
    const result<state> back = load_state(other, text);
    ASSERT_FALSE(back.ok());
    EXPECT_NE(back.failure().message.find("\"web\""), std::string::npos) << back.failure().message;
    other = scaler.by;
    other.scaling.kind = manifest::manifest_kind::horizontal_pod_autoscaler;
    EXPECT_FALSE(load_state(other, text).ok());
    EXPECT_FALSE(load_state(scaler.by, "{}").ok());
    EXPECT_FALSE(load_state(scaler.by, "").ok());
    EXPECT_FALSE(load_state(scaler.by, std::string(2'000'000, ' ')).ok());
}

TEST(StateText, AChangedPolicyTakesWhatStillFits) {
    const driven scaler = busy_week();
    const std::string text = save_state(scaler.by, scaler.with);
    policy changed = scaler.by;
    changed.scaling.behavior.reset();
    changed.metrics = {scene::metric("s9-new", 1000), changed.metrics[1]};
    const result<state> back = load_state(changed, text);
    ASSERT_TRUE(back.ok()) << back.failure().message;
    EXPECT_TRUE(back->ups.empty());
    EXPECT_EQ(back->health.size(), 2U);
    EXPECT_EQ(back->health[0].failures, 0);
    EXPECT_EQ(back->health[1].failures, scaler.with.health[1].failures);
    EXPECT_EQ(back->recommendations.size(), scaler.with.recommendations.size());
}

}  // namespace

namespace {

using nlohmann::json;
using scene::driven;
using scene::value;

driven busy() {
    policy by = scene::scaled_object(0);
    by.scaling.behavior = scene::default_behavior();
    by.scaling.fallback = manifest::fallback{3, 6};
    by.fallback_on = true;
    by.scaling.extra.confirm_k = 1;
    by.scaling.extra.confirm_n = 3;
    by.metrics.push_back(scene::metric("s1-\"odd\\name\"", 7000));
    driven scaler(by, 2);
    for (std::int64_t at = 0; at < 600'000; at += 15'000) {
        scaler.tick(at, {value(10.1 + static_cast<double>(at / 15'000 % 7)), scene::no_value(sample_state::timeout)});
    }
    return scaler;
}

std::string refusal(const std::string& text) {
    const driven scaler = busy();
    const result<state> back = read_state(scaler.by, text);
    if (back.ok()) return "taken";
    EXPECT_EQ(back.failure().status, status::state);
    return back.failure().where.text() + ": " + back.failure().message;
}

TEST(StateJson, ComesBackAsItWas) {
    const driven scaler = busy();
    const result<state> back = read_state(scaler.by, describe_state(scaler.by, scaler.with));
    ASSERT_TRUE(back.ok()) << back.failure().where.text() << ": " << back.failure().message;
    EXPECT_EQ(save_state(scaler.by, *back), save_state(scaler.by, scaler.with));
    EXPECT_EQ(back->newest_ms, scaler.with.newest_ms);
}

TEST(StateJson, SaysItInTheWordsOfTheCases) {
    const driven scaler = busy();
    const json got = json::parse(describe_state(scaler.by, scaler.with));
    EXPECT_EQ(got.at("name"), "web");
    EXPECT_EQ(got.at("health").at("s1-\"odd\\name\"").at("status"), "Failing");
    EXPECT_EQ(got.at("health").at("s1-\"odd\\name\"").at("failures"), scaler.with.health[1].failures);
    EXPECT_EQ(got.at("health").at("s0-prometheus").at("last").at("state"), "ok");
    ASSERT_FALSE(got.at("history").empty());
    EXPECT_EQ(got.at("history").at(0).at("replicas"), scaler.with.recommendations[0].replicas);
    ASSERT_FALSE(got.at("up_events").empty());
    EXPECT_EQ(got.at("up_events").at(0).at("change"), scaler.with.ups[0].change);
    EXPECT_EQ(got.at("last_active_ms"), scaler.with.last_active_ms);
    EXPECT_EQ(got.at("conditions").at(0).at("type"), "AbleToScale");
    EXPECT_EQ(got.at("verdict").at("limited_by"), limit_name(scaler.with.last_verdict.limited_by));
}

TEST(StateJson, WhatIsLeftOutIsFresh) {
    const driven scaler = busy();
    const result<state> empty = read_state(scaler.by, "{}");
    ASSERT_TRUE(empty.ok()) << empty.failure().message;
    EXPECT_EQ(save_state(scaler.by, *empty), save_state(scaler.by, make_state(scaler.by)));
    const result<state> history = read_state(scaler.by, R"({"history":[{"replicas":4,"time_ms":1000}]})");
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
    EXPECT_EQ(refusal(R"({"health":{"missing":{}}})"), "health.missing: expected a metric of the policy");
    EXPECT_EQ(refusal(R"({"conditions":[{"type":"Happy"}]})").substr(0, 18), "conditions[0].type");
    EXPECT_EQ(refusal(R"({"confirmations":[1,1,1,1]})"), "confirmations: expected at most 3 items");
    EXPECT_EQ(refusal(R"({"confirmations":[2]})"), "confirmations[0]: expected a whole number from -1 to 1");
    EXPECT_EQ(refusal(R"({"last_active_ms":9e99})").substr(0, 14), "last_active_ms");
    EXPECT_EQ(refusal(R"({"verdict":{"winner":"nobody"}})"), "verdict.winner: expected a metric of the policy");
}

TEST(StateJson, EveryCutIsRefused) {
    const driven scaler = busy();
    const std::string text = describe_state(scaler.by, scaler.with);
    for (std::size_t size = 0; size < text.size(); ++size) {
        EXPECT_FALSE(read_state(scaler.by, std::string_view(text).substr(0, size)).ok()) << size;
    }
}

}  // namespace

}  // namespace gputide::decide
