// Tests what a word on a stream does: which poll it brings about, and when.
#include "streams.hpp"

namespace gputide::runtime {
namespace {

TEST_F(streams, a_word_has_the_scaler_polled_at_once) {
    scaler.stream = [] { return peer::held({{7'000, active}}); };
    add();
    w.run(6'900);
    EXPECT_EQ(polls(), 1U);
    EXPECT_EQ(desired(), 0);
    scaler.is_active = true;
    w.run(250);
    EXPECT_EQ(polls(), 2U) << "neither the HPA's period of 15 s nor the executor's of 30 s has passed";
    EXPECT_EQ(desired(), 1) << "the executor's step";
    EXPECT_EQ(w.fleet.stats().stream_polls, 1U);
    EXPECT_EQ(w.fleet.stats().stream_words, 1U);
    EXPECT_EQ(w.fleet.stats().streams, 1U);
    EXPECT_EQ(opened(), 1);
}

TEST_F(streams, other_targets_have_the_scaler_polled_at_once) {
    // The peer names 5 and then 7; the first message changes nothing.
    scaler.targets = [] {
        return peer::held({{2'000, framed("\x0a\x05\x0a\x01q\x10\x05")}, {7'000, framed("\x0a\x05\x0a\x01q\x10\x07")}});
    };
    add();
    w.run(6'900);
    EXPECT_EQ(polls(), 1U);
    w.run(250);
    EXPECT_EQ(polls(), 2U);
    EXPECT_EQ(w.fleet.stats().stream_words, 1U);
    EXPECT_EQ(w.fleet.stats().streams, 1U) << "the pair counts as one";
}

TEST_F(streams, the_periods_go_on_as_they_were) {
    scaler.stream = [] { return peer::held({{7'000, active}}); };
    add();
    w.run(14'900);
    EXPECT_EQ(polls(), 2U);
    w.run(200);
    EXPECT_EQ(polls(), 3U) << "the HPA's pass at 15 s";
    w.run(14'800);
    EXPECT_EQ(polls(), 3U);
    w.run(200);
    EXPECT_EQ(polls(), 4U) << "both halves at 30 s";
    w.run(14'000);
    EXPECT_EQ(polls(), 4U) << "and not at 37 s";
}

TEST_F(streams, the_poll_decides_and_not_the_word) {
    scaler.stream = [] { return peer::held({{7'000, active}}); };
    add();
    w.run(10'000);
    EXPECT_EQ(polls(), 2U);
    EXPECT_EQ(desired(), 0) << "IsActive says no";
}

TEST_F(streams, a_change_is_worth_a_poll_a_second_and_a_repeat_none) {
    scaler.stream = [] {
        std::vector<std::pair<std::int64_t, std::string>> words;
        for (std::int64_t at_ms = 2'000; at_ms < 12'000; at_ms += 10)
            words.emplace_back(at_ms, at_ms % 20 == 0 ? active : idle);
        return peer::held(std::move(words));
    };
    add();
    w.run(12'500);
    EXPECT_EQ(w.fleet.stats().stream_words, 1'000U);
    EXPECT_GE(polls(), 9U);
    EXPECT_LE(polls(), 12U) << "one a second";
}

TEST_F(streams, what_is_said_again_and_again_costs_no_poll) {
    scaler.is_active = true;
    scaler.stream = [] {
        std::vector<std::pair<std::int64_t, std::string>> words;
        for (std::int64_t at_ms = 200; at_ms < 60'000; at_ms += 200) words.emplace_back(at_ms, active);
        return peer::held(std::move(words));
    };
    add();
    w.run(59'900);
    EXPECT_EQ(polls(), 4U) << "at 0, 15, 30 and 45 s, as without a stream";
    EXPECT_EQ(w.fleet.stats().stream_polls, 0U) << "none of them came of it";
    EXPECT_EQ(w.fleet.stats().stream_words, 299U);
}

// Three calls of 100 ms, and the peer says its state at once.
TEST_F(streams, the_first_word_is_news_only_where_the_poll_under_way_finds_something_else) {
    const struct {
        bool says, is_active;
        std::uint64_t polls;
    } cases[] = {{true, true, 1}, {false, false, 1}, {true, false, 2}, {false, true, 2}};
    for (const auto& test_case : cases) {
        world host{every_decision()};
        scaler.is_active = test_case.is_active;
        scaler.stream = [&test_case] { return peer::held({{50, test_case.says ? active : idle}}); };
        host.loop->answer_with([this](const http::request& what) {
            scripted_answer out = scaler(what);
            if (out.later.empty()) out.delay_ms += 100;
            return out;
        });
        host.observe(host.add_text(manifest_of("demo")), 0);
        host.run(3'000);
        EXPECT_EQ(host.fleet.stats().stream_words, 1U);
        EXPECT_EQ(host.fleet.stats().polls, test_case.polls) << test_case.says << test_case.is_active;
    }
}

TEST_F(streams, the_first_word_is_news_where_the_poll_under_way_fails) {
    scaler.stream = [] { return peer::held({{50, active}}); };
    w.loop->answer_with([this](const http::request& what) {
        scripted_answer out = scaler(what);
        if (!out.later.empty()) return out;
        out = peer::answered({}, "3");
        out.delay_ms = 100;
        return out;
    });
    add();
    w.run(3'000);
    EXPECT_EQ(polls(), 2U) << "and once only";
}

TEST_F(streams, what_was_known_of_a_trigger_is_known_under_another_manifest) {
    scaler.is_active = true;
    const scaler_id id = add();
    w.run(5'000);
    scaler.stream = [] { return peer::held({{0, active}}); };
    ASSERT_TRUE(w.fleet.replace(id, world::spec_of(manifest_of("demo", R"(,"cooldownPeriod":200)")), {}));
    w.run(5'000);
    EXPECT_EQ(w.fleet.stats().stream_words, 1U);
    EXPECT_EQ(polls(), 1U);
    std::string other = manifest_of("demo");
    other.replace(other.find("6000"), 4, "6001");
    ASSERT_TRUE(w.fleet.replace(id, world::spec_of(other), {}));
    w.run(4'000);
    EXPECT_EQ(polls(), 2U) << "of another peer nothing is known";
}

TEST_F(streams, active_again_after_a_poll_found_it_idle_is_a_change) {
    scaler.is_active = true;
    scaler.stream = [] { return peer::held({{100, active}, {20'000, active}}); };
    add();
    w.run(10'000);
    scaler.is_active = false;  // without a message, as KEDA would not listen
    w.run(9'900);
    EXPECT_EQ(polls(), 2U);
    w.run(200);
    EXPECT_EQ(polls(), 3U);
}

TEST_F(streams, a_word_during_a_poll_is_not_lost) {
    scaler.stream = [] { return peer::held({{16'000, active}}); };
    add();
    w.run(14'900);
    w.loop->answer_with([this](const http::request& what) {
        scripted_answer out = scaler(what);
        out.delay_ms += 400;  // three calls: longer than a second
        return out;
    });
    w.run(1'050);
    EXPECT_EQ(w.fleet.stats().polls_in_flight, 1U);
    w.run(1'000);
    EXPECT_EQ(polls(), 3U) << "the second one began when the one under way had ended";
}

// start_spread_ms 0: a newcomer begins anywhere in its period.
TEST_F(streams, a_word_during_a_poll_outlives_its_manifest) {
    // The first word, during the first poll; during the second one; that brought the poll about.
    for (const std::int64_t word_ms : {100, 15'100, 7'000}) {
        fleet_options spread = every_decision();
        spread.start_spread_ms = 0;
        world host{spread};
        host.loop->answer_with([this](const http::request& what) {
            scripted_answer out = scaler(what);
            if (out.later.empty()) out.delay_ms += 100;
            return out;
        });
        scaler.stream = [word_ms] { return peer::held({{word_ms, active}}); };
        const scaler_id id = host.add_text(manifest_of("demo"));
        ASSERT_TRUE(host.fleet.poll_soon(id));
        host.observe(id, 0);
        host.run(word_ms + 50);
        scaler.stream = [] { return peer::held({}); };
        ASSERT_EQ(host.fleet.stats().polls_in_flight, 1U) << word_ms;
        ASSERT_EQ(host.fleet.stats().stream_words, 1U) << word_ms;
        const std::uint64_t before = host.fleet.stats().polls;
        ASSERT_TRUE(host.fleet.replace(id, world::spec_of(manifest_of("demo", R"(,"cooldownPeriod":200)")), {}));
        host.run(1'100);
        EXPECT_EQ(host.fleet.stats().polls, before + 1) << word_ms;
    }
}

}  // namespace
}  // namespace gputide::runtime
