// Lines cut anywhere, what they say, and what comes next after each end of a watch.
#include "kubernetes/watch/watcher.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gputide::kubernetes {
namespace {

const std::string three_lines =
    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\\n\"}}}\n\r\n{\"b\":1}\n{\"rest\":";

TEST(WatchLines, AreTheSameWhereverThePiecesEnd) {
    for (std::size_t first = 0; first <= three_lines.size(); ++first) {
        for (std::size_t second = first; second <= three_lines.size(); second += 5) {
            line_cutter cutter;
            std::vector<std::string> lines;
            const auto take = [&](const std::string& line, bool is_cut) {
                EXPECT_FALSE(is_cut);
                lines.push_back(line);
            };
            cutter.feed(three_lines.substr(0, first), take);
            cutter.feed(three_lines.substr(first, second - first), take);
            cutter.feed(three_lines.substr(second), take);
            ASSERT_EQ(lines.size(), 2U) << first << " " << second;
            EXPECT_EQ(lines[1], "{\"b\":1}");
            EXPECT_TRUE(cutter.has_rest());
        }
    }
}

TEST(WatchLines, OneThatIsTooLongIsCutAndHidesNoOther) {
    line_cutter cutter;
    std::vector<std::string> lines;
    std::vector<bool> cuts;
    const auto take = [&](const std::string& line, bool is_cut) {
        lines.push_back(line);
        cuts.push_back(is_cut);
    };
    const std::string most(max_line_bytes, 'x');
    cutter.feed(most + "\n", take);
    for (int i = 0; i < 3; ++i) cutter.feed(most, take);
    cutter.feed("x\nshort\n", take);
    EXPECT_EQ(lines, (std::vector<std::string>{most, most, "short"}));
    EXPECT_EQ(cuts, (std::vector<bool>{false, true, false}));
    EXPECT_FALSE(cutter.has_rest());
}

watch_event read(const std::string& line, bool is_cut = false) {
    watch_event out;
    const auto done = read_event(line, is_cut, [&](const watch_event& event, simdjson::dom::object) { out = event; });
    EXPECT_TRUE(done) << line;
    return out;
}

TEST(WatchEvents, ObjectsAndBookmarks) {
    const watch_event changed = read(R"({"type":"MODIFIED","object":{"metadata":{"resourceVersion":"12"}}})");
    EXPECT_EQ(changed.change, change::modified);
    EXPECT_EQ(changed.resource_version, "12");
    const watch_event mark = read(R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"40"}}})");
    EXPECT_EQ(mark.change, change::bookmark);
    EXPECT_EQ(mark.resource_version, "40");
}

TEST(WatchEvents, AnErrorCarriesAStatus) {
    const watch_event gone = read(
        R"~({"type":"ERROR","object":{"kind":"Status","message":"too old resource version: 1 (123)","reason":"Expired","code":410}})~");
    EXPECT_EQ(gone.change, change::error);
    EXPECT_EQ(gone.code, 410);
}

TEST(WatchEvents, AnObjectThatCannotBeReadIsNamed) {
    const std::string deep = std::string(2'000, '[') + std::string(2'000, ']');
    for (const std::string& broken : {deep, std::string("NaN"), std::string("\"\xff\""), std::string("{\"cut")}) {
        const std::string line =
            R"({"type":"MODIFIED","object":{"kind":"Thing","metadata":{"name":"a","namespace":"ml","labels":{"name":"z"},)"
            R"("resourceVersion":"12"},"spec":)" +
            broken + "}}";
        const watch_event event = read(line);
        ASSERT_TRUE(event.unreadable) << broken.substr(0, 10);
        EXPECT_EQ(event.change, change::modified);
        EXPECT_EQ(event.unreadable->key, (object_key{"ml", "a"}));
        EXPECT_EQ(event.resource_version, "12");
        EXPECT_EQ(event.unreadable->why,
                  broken == deep ? "it is nested more than 1024 levels deep" : "it is not valid JSON");
    }
}

TEST(WatchEvents, IntegersBeyond64BitsAreDoubles) {
    const std::string line = R"({"type":"ADDED","object":{"metadata":{"name":"a"},"x":18446744073709551616,"y":-7}})";
    double x = 0;
    std::int64_t y = 0;
    const auto read = read_event(line, false, [&](const watch_event& event, simdjson::dom::object object) {
        EXPECT_FALSE(event.unreadable);
        EXPECT_EQ(object["x"].get(x), simdjson::SUCCESS);
        EXPECT_EQ(object["y"].get(y), simdjson::SUCCESS);
    });
    EXPECT_TRUE(read);
    EXPECT_EQ(x, 0x1p64);
    EXPECT_EQ(y, -7);
}

TEST(WatchEvents, TheBeginningOfALineThatIsTooLongNamesItsObject) {
    const watch_event event =
        read(R"({"type":"ADDED","object":{"metadata":{"name":"a","namespace":"ml"},"spec":"xxx)", true);
    ASSERT_TRUE(event.unreadable);
    EXPECT_EQ(event.unreadable->key, (object_key{"ml", "a"}));
    EXPECT_EQ(event.unreadable->why, "it has more than 16777216 bytes of JSON");
}

TEST(WatchEvents, WhatIsNoneIsRefused) {
    for (const std::string line : {"{\"type\":\"ADDED\",\"object\":{\"a\":", "[]", R"({"type":"MOVED","object":{}})",
                                   R"({"type":"ADDED","object":7})", R"({"object":{}})",
                                   R"({"type":"ERROR","object":{"metadata":{"name":"a"},"code":NaN}})"}) {
        EXPECT_FALSE(read_event(line, false, [](const watch_event&, simdjson::dom::object) { ADD_FAILURE(); })) << line;
    }
}

class WatchPlan : public ::testing::Test {
  protected:
    watch_plan plan;

    std::string asked() const { return plan.pages().request({}).target.query; }
    static ending ended(std::int64_t code, std::int64_t lasted_ms = 5'000, bool had_event = true) {
        ending out;
        out.code = code;
        out.lasted_ms = lasted_ms;
        out.had_event = had_event;
        return out;
    }
};

TEST_F(WatchPlan, PagesThenAWatchFromTheirVersion) {
    EXPECT_EQ(plan.begin().step, watch_step::list);
    EXPECT_EQ(asked(), "?limit=250");
    const next_step second = plan.page_came("7", "token", 100);
    EXPECT_EQ(second.step, watch_step::list);
    EXPECT_EQ(asked(), "?limit=250&continue=token");
    const next_step watch = plan.page_came("7", "", 100);
    EXPECT_EQ(watch.step, watch_step::watch);
    EXPECT_EQ(watch.resource_version, "7");
}

TEST_F(WatchPlan, APageThatExpiredBringsTheListInOnePiece) {
    plan.page_came("7", "token", 100);
    const next_step again = plan.page_failed(ended(410), 0, 0.5);
    EXPECT_EQ(asked(), "");
    EXPECT_EQ(again.after_ms, 0);
}

TEST_F(WatchPlan, ATimeoutGoesOnAtOnceFromTheNewestVersion) {
    plan.page_came("7", "", 100);
    plan.saw("9");
    plan.saw("");
    plan.saw("0");
    const next_step next = plan.watch_ended(ended(0), 0, 0.5);
    EXPECT_EQ(next.step, watch_step::watch);
    EXPECT_EQ(next.resource_version, "9");
    EXPECT_EQ(next.after_ms, 0);
}

TEST_F(WatchPlan, AnOldVersionIsListedAgain) {
    plan.page_came("7", "", 100);
    ending how = ended(410);
    how.in_stream = true;
    EXPECT_EQ(plan.watch_ended(how, 0, 0.5).step, watch_step::list);
    EXPECT_EQ(plan.watch_ended(ended(410), 0, 0.5).step, watch_step::list);
}

TEST_F(WatchPlan, RefusalsWaitLongerEachTimeAndAreListedAgain) {
    plan.page_came("7", "", 100);
    std::vector<std::int64_t> waits;
    for (int i = 0; i < 8; ++i) {
        const next_step next = plan.watch_ended(ended(500), 1'000, 0.0);
        EXPECT_EQ(next.step, watch_step::list);
        waits.push_back(next.after_ms);
        plan.page_came("7", "", 100);
    }
    EXPECT_EQ(waits, (std::vector<std::int64_t>{800, 1'600, 3'200, 6'400, 12'800, 25'600, 30'000, 30'000}));
    EXPECT_EQ(plan.watch_ended(ended(500), 200'000, 0.0).after_ms, 800);  // long ago
}

TEST_F(WatchPlan, TheServersRetryAfterComesFirst) {
    plan.page_came("7", "", 100);
    ending how = ended(429);
    how.retry_after_ms = 5'000;
    const next_step next = plan.watch_ended(how, 0, 0.0);
    EXPECT_EQ(next.after_ms, 5'000);
    EXPECT_EQ(next.step, watch_step::watch) << "it is busy, and has lost nothing";
}

TEST_F(WatchPlan, OneThatToldNothingForTooLongIsListedAgain) {
    plan.page_came("7", "", 100);
    ending how = ended(0);
    how.is_death = true;
    EXPECT_EQ(plan.watch_ended(how, 0, 0.5).step, watch_step::list);
    EXPECT_EQ(plan.watch_ended(ended(0), 0, 0.5).step, watch_step::watch);
}

TEST_F(WatchPlan, VersionsThatGoBackAreListedAgain) {
    plan.page_came("900", "", 100);
    plan.saw("901");
    EXPECT_EQ(plan.watch_ended(ended(0), 0, 0.5).step, watch_step::watch);
    plan.saw("77");  // an etcd that was restored
    plan.saw("78");
    EXPECT_EQ(plan.watch_ended(ended(0), 0, 0.5).step, watch_step::list);
    plan.page_came("80", "", 100);
    EXPECT_EQ(plan.watch_ended(ended(0), 0, 0.5).step, watch_step::watch);
}

// An etcd with a compaction that outruns the list, a watch cache that is not ready, a proxy that ends each watch.
TEST_F(WatchPlan, WhatEndsSoonEachTimeIsRepeatedAtOnceOnceThenLaterEachTime) {
    ending garbage = ended(0, 10);
    garbage.in_stream = true;
    ending old_version = ended(410, 10, false);
    old_version.in_stream = true;
    for (const ending& how :
         {ended(410, 5, false), old_version, ended(410, 20'000, false), ended(410, 500), garbage, ended(0, 500)}) {
        plan = {};
        std::vector<std::int64_t> waits;
        for (int i = 0; i < 8; ++i) {
            plan.page_came("7", "", 100);
            waits.push_back(plan.watch_ended(how, 1'000, 0.0).after_ms);
        }
        EXPECT_EQ(waits, (std::vector<std::int64_t>{0, 800, 1'600, 3'200, 6'400, 12'800, 25'600, 30'000}));
        EXPECT_EQ(plan.watch_ended(how, 200'000, 0.0).after_ms, 0) << "long ago";
    }
}

TEST_F(WatchPlan, VersionsThatGoBackEachTimeAreListedLaterEachTime) {
    std::vector<std::int64_t> waits;
    for (int i = 0; i < 3; ++i) {
        plan.page_came("900", "", 100);
        plan.saw("3");
        waits.push_back(plan.watch_ended(ended(0, 30'000), 1'000, 0.0).after_ms);
    }
    EXPECT_EQ(waits, (std::vector<std::int64_t>{0, 800, 1'600}));
}

TEST_F(WatchPlan, OneThatBroughtSomethingIsGoneOnWithAtOnce) {
    for (const std::int64_t code : {410, 0, 410, 0}) {
        plan.page_came("7", "", 100);
        EXPECT_EQ(plan.watch_ended(ended(code), 1'000, 0.0).after_ms, 0);
    }
}

TEST_F(WatchPlan, AllFailuresShareOneBackoff) {
    std::vector<std::int64_t> waits;
    for (const std::int64_t code : {410, 500, 410, 410}) {
        plan.page_came("7", "", 100);
        waits.push_back(plan.watch_ended(ended(code, 5, false), 1'000, 0.0).after_ms);
        waits.push_back(plan.page_failed(ended(500), 1'000, 0.0).after_ms);
    }
    EXPECT_EQ(waits, (std::vector<std::int64_t>{0, 800, 1'600, 3'200, 6'400, 12'800, 25'600, 30'000}));
}

TEST_F(WatchPlan, AVeryShortOneWithoutAnEventIsNotRepeatedAtOnce) {
    plan.page_came("7", "", 100);
    EXPECT_EQ(plan.watch_ended(ended(0, 10, false), 0, 0.0).after_ms, 800);
}

// A server that has just started has it a moment later; one that has it not is asked each minute.
TEST_F(WatchPlan, WhatIsMissingIsLookedForAtOnceAndEachMinuteInTheEnd) {
    plan.page_came("7", "", 100);
    const next_step next = plan.watch_ended(ended(404), 0, 0.5);
    EXPECT_EQ(next.step, watch_step::list);
    EXPECT_EQ(next.after_ms, 1'200);
    std::vector<std::int64_t> waits;
    for (int i = 0; i < 7; ++i) waits.push_back(plan.page_failed(ended(403), 0, 0.5).after_ms);
    EXPECT_EQ(waits, (std::vector<std::int64_t>{2'400, 4'800, 9'600, 19'200, 38'400, 60'000, 60'000}));
}

// Its file may have another one any moment.
TEST_F(WatchPlan, ATokenThatIsNotTakenIsTriedAgainWithinSeconds) {
    plan.page_came("7", "", 100);
    const next_step next = plan.watch_ended(ended(401), 0, 0.5);
    EXPECT_EQ(next.step, watch_step::list);  // its end says that what was known is known again
    std::vector<std::int64_t> waits{next.after_ms};
    for (int i = 0; i < 4; ++i) waits.push_back(plan.page_failed(ended(401), 0, 0.5).after_ms);
    EXPECT_EQ(waits, (std::vector<std::int64_t>{1'200, 2'400, 4'800, 5'000, 5'000}));
}

}  // namespace
}  // namespace gputide::kubernetes
