// Many scalers over a scripted loop, by steps: when they ask, what they decide, what the host is told.
#include "runtime/fleet/fleet.hpp"

#include "auth/machine/surroundings.hpp"
#include "fleet_support.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace gputide::runtime {
namespace {

using testing::scripted;
using testing::scripted_fault;

TEST(Fleet, PollsADecisionAndTellsTheHost) {
    world w;
    w.answer(42.5);
    const scaler_id id = w.add("demo");
    EXPECT_EQ(w.step(), -1) << "nothing is due before the first observation";
    w.observe(id, 3);
    w.run(15'000);
    const auto event = w.fleet.take_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->id, id);
    EXPECT_EQ(event->name, "default/demo");
    EXPECT_EQ(event->sequence, 1U);
    EXPECT_EQ(event->decision.current_replicas, 3);
    EXPECT_EQ(event->decision.desired_replicas, 6);
    EXPECT_EQ(w.loop->requests().size(), 1U);
}

TEST(Fleet, OneReadServesBothHalvesForEver) {
    world w;
    w.answer(5.0);
    const scaler_id id = w.add("demo");
    w.observe(id, 1);
    w.run(15'000);
    const std::size_t first = w.loop->requests().size();
    w.run(600'000);
    EXPECT_EQ(w.loop->requests().size() - first, 40U) << "one request each 15 s";
}

TEST(Fleet, StartsAreSpreadOverThePeriodAndTheSameAgain) {
    const auto starts = [](std::uint64_t seed) {
        fleet_options with;
        with.seed = seed;
        world w(with);
        w.answer(5.0);
        for (int i = 0; i < 300; ++i) w.observe(w.add("model-" + std::to_string(i)), 1);
        w.run(14'999);
        std::vector<std::int64_t> out;
        for (const auto& request : w.loop->requests()) out.push_back(request.sent_at_ms);
        return out;
    };
    const auto first = starts(1);
    ASSERT_EQ(first.size(), 300U);
    EXPECT_EQ(first, starts(1));
    EXPECT_NE(first, starts(2));
    std::map<std::int64_t, int> per_second;
    for (const std::int64_t at : first) ++per_second[at / 1'000];
    EXPECT_GE(per_second.size(), 15U);
    for (const auto& [second, count] : per_second) EXPECT_LT(count, 45) << second;
}

TEST(Fleet, WhoIsHastenedIsPolledWithTheNextStepAndThenAtItsPeriod) {
    world w;
    w.answer(5.0);
    for (int i = 0; i < 10; ++i) w.observe(w.add("model-" + std::to_string(i)), 1);
    w.run(60'000);
    const auto early = w.add("model-new");
    ASSERT_TRUE(w.fleet.poll_soon(early));
    std::size_t before = w.loop->requests().size();
    w.observe(early, 1);
    w.run(100);
    EXPECT_EQ(w.loop->requests().size() - before, 1U) << "its first poll";
    w.run(8'000);  // longer than an answer is shared
    before = w.loop->requests().size();
    ASSERT_TRUE(w.fleet.replace(early, w.spec("model-new", 30), {}));
    ASSERT_TRUE(w.fleet.poll_soon(early));
    w.run(100);
    EXPECT_EQ(w.loop->requests().size() - before, 1U) << "and one of its new manifest, before its time";
    before = w.loop->requests().size();
    w.run(150'000);
    EXPECT_EQ(w.loop->requests().size() - before, 11U * 10U) << "no other poll is left over";
    EXPECT_FALSE(w.fleet.poll_soon(12'345));
}

// From Kubernetes 1.37 on; what the HPA does not see waits for its time.
TEST(Fleet, AChangedSpecIsPolledAtOnce) {
    world w;
    w.answer(5.0);
    const auto id = w.add("demo");
    w.observe(id, 1);
    w.run(68'000);
    const std::size_t before = w.loop->requests().size();
    const auto polls_after = [&](const manifest::spec& spec) {
        EXPECT_TRUE(w.fleet.replace(id, spec, {}));
        w.run(100);
        return w.loop->requests().size() - before;
    };
    manifest::spec cooler = w.spec("demo");
    cooler.scaling.cooldown_s = 7;
    EXPECT_EQ(polls_after(cooler), 0U);
    EXPECT_EQ(polls_after(w.spec("demo", 30)), 1U);
    manifest::spec older = w.spec("demo", 40);
    older.scaling.controller.versions.kubernetes = 36;
    EXPECT_EQ(polls_after(older), 1U);
}

TEST(Fleet, WhoIsHastenedWhileItIsANewcomerAnywayIsPolledAtOnce) {
    world w;
    w.answer(5.0, 1'000);
    const auto scaler = w.add("demo");
    ASSERT_TRUE(w.fleet.poll_soon(scaler));
    w.observe(scaler, 1);
    w.run(500);
    ASSERT_EQ(w.fleet.stats().polls_in_flight, 1U);
    const std::uint64_t before = w.fleet.stats().polls;
    ASSERT_TRUE(w.fleet.replace(scaler, w.spec("demo", 30), {}));
    ASSERT_TRUE(w.fleet.poll_soon(scaler));
    w.run(100);
    EXPECT_EQ(w.fleet.stats().polls, before + 1);
}

TEST(Fleet, OneWakingServesAllWhoAreDueAboutThen) {
    const auto wakings = [](std::int64_t gather_ms) {
        fleet_options with;
        with.gather_ms = gather_ms;
        world w(with);
        w.answer(5.0);
        for (int i = 0; i < 300; ++i) w.observe(w.add("model-" + std::to_string(i)), 1);
        w.run(30'000);
        std::set<std::int64_t> moments;
        for (const auto& request : w.loop->requests()) moments.insert(request.sent_at_ms);
        EXPECT_GE(w.loop->requests().size(), 600U) << "each is polled twice all the same";
        EXPECT_LE(w.loop->requests().size(), 620U)
            << "and the third time only scalers that are due within the half second";
        EXPECT_EQ(w.fleet.stats().lag.max_ms(), 0) << "no scaler is late for it";
        return moments.size();
    };
    // 20 polls a second: a waking of its own for nearly each of them, or one each half second.
    EXPECT_GT(wakings(0), 500U);
    EXPECT_LE(wakings(500), 60U);
}

TEST(Fleet, BeingEarlyDoesNotAddUp) {
    fleet_options with;
    with.gather_ms = 500;
    world w(with);
    w.answer(5.0);
    for (int i = 0; i < 40; ++i) w.observe(w.add("model-" + std::to_string(i)), 1);
    w.run(15'000);
    const std::size_t first = w.loop->requests().size();
    w.run(1'500'000);
    EXPECT_EQ(w.loop->requests().size() - first, 40U * 100U) << "each 15 s, not each 14.7";
}

TEST(Fleet, NobodyIsPolledTwiceInOneStep) {
    fleet_options with;
    with.gather_ms = 1'000;
    with.start_spread_ms = 1;
    world w(with);
    manifest::spec often = world::spec_of(pushed("demo"));
    often.scaling.extra.sync_period_ms = 0;
    const auto id = w.fleet.add(often, {});
    ASSERT_TRUE(id);
    w.observe(*id, 1);
    w.step();
    EXPECT_EQ(w.fleet.stats().polls, 1U);
    w.run(10'000);
    EXPECT_LE(w.fleet.stats().polls, 11U) << "one each 1,001 ms";
    EXPECT_GE(w.fleet.stats().polls, 9U);
}

TEST(Fleet, AStallIsNoBurst) {
    world w;
    w.answer(5.0);
    for (int i = 0; i < 300; ++i) w.observe(w.add("model-" + std::to_string(i)), 1);
    w.run(30'000);
    const std::size_t before = w.loop->requests().size();
    w.pass(3'600'000);  // nothing drives for an hour
    w.step();
    w.loop->advance(0);
    EXPECT_LT(w.loop->requests().size() - before, 20U) << "polls that were missed are spread out";
    w.run(15'250);
    const std::size_t after = w.loop->requests().size() - before;
    EXPECT_GE(after, 300U) << "each is polled once";
    EXPECT_LE(after, 330U) << "and not more often than that";
    EXPECT_GE(w.fleet.stats().stalls, 1U);
}

TEST(Fleet, AClockSetBackStopsNobody) {
    world w;
    w.answer(5.0);
    const scaler_id id = w.add("demo");
    w.observe(id, 1);
    w.run(60'000);
    const std::size_t before = w.loop->requests().size();
    w.wall_ms -= 86'400'000;
    w.run(60'000);
    EXPECT_GE(w.loop->requests().size() - before, 4U);
    EXPECT_EQ(w.fleet.stats().clock_steps_back, 1U);
}

TEST(Fleet, TheNewestDecisionWaitsAndNothingPilesUp) {
    world w;
    w.answer(5.0);
    const scaler_id id = w.add("demo");
    w.observe(id, 1);
    w.run(15'000);
    w.answer(15.0);
    w.run(60'000);
    EXPECT_EQ(w.fleet.stats().events_waiting, 1U);
    const auto event = w.fleet.take_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->replaced, 4U);
    EXPECT_EQ(event->decision.desired_replicas, 3) << "the first decision, to stay at 1, is no longer so";
    EXPECT_FALSE(w.fleet.take_event());
}

TEST(Fleet, AWriteThatWasDoneIsTheNewSize) {
    world w;
    w.answer(42.5);
    const scaler_id id = w.add("demo");
    w.observe(id, 3);
    w.run(15'000);
    auto event = w.fleet.take_event();
    ASSERT_TRUE(event);
    ASSERT_TRUE(w.fleet.record(id, event->decision, true, w.wall_ms));
    w.run(15'000);
    event = w.fleet.take_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->decision.current_replicas, 6);
    EXPECT_GT(event->decision.desired_replicas, 6);
}

TEST(Fleet, StateSurvivesARestartAndAnotherManifest) {
    world w;
    w.answer(42.5);
    const scaler_id id = w.add("demo");
    w.observe(id, 3);
    w.run(30'000);
    const auto saved = w.fleet.save(id);
    ASSERT_TRUE(saved);
    world again;
    again.wall_ms = w.wall_ms;
    const scaler_id other = again.add("demo");
    ASSERT_TRUE(again.fleet.load(other, *saved));
    // The last member tells one loading from another.
    const auto without_random_id = [](const std::string& text) { return text.substr(0, text.find(",\"decisions\":")); };
    EXPECT_EQ(without_random_id(*again.fleet.save(other)), without_random_id(*saved));
    EXPECT_FALSE(again.fleet.load(other, "{}"));

    ASSERT_TRUE(w.fleet.replace(id, w.spec("demo", 50), {}));
    EXPECT_EQ(without_random_id(*w.fleet.save(id)), without_random_id(*saved));
    EXPECT_FALSE(w.fleet.replace(id, w.spec("another", 50), {}));
    const std::size_t before = w.loop->requests().size();
    w.run(30'000);
    EXPECT_EQ(w.loop->requests().size() - before, 3U) << "at once for the changed spec, and the schedule goes on";
}

TEST(Fleet, ARemovedScalerIsGoneForGood) {
    world w;
    w.answer(42.5, 200);
    const scaler_id id = w.add("demo");
    w.observe(id, 3);
    while (w.loop->requests().empty()) w.run(1);
    EXPECT_EQ(w.fleet.stats().polls_in_flight, 1U);
    ASSERT_TRUE(w.fleet.remove(id));
    EXPECT_EQ(w.fleet.stats().polls_in_flight, 0U);
    w.run(60'000);
    EXPECT_EQ(w.loop->requests().size(), 1U);
    EXPECT_FALSE(w.fleet.take_event());
    EXPECT_FALSE(w.fleet.observe(id, {}));
    EXPECT_FALSE(w.fleet.find("default/demo"));
    const scaler_id next = w.add("demo");
    EXPECT_NE(next, id);
    EXPECT_EQ(*w.fleet.find("default/demo"), next);
}

TEST(Fleet, NamesAreUnique) {
    world w;
    w.add("demo");
    const auto twice = w.fleet.add(w.spec("demo"), {});
    ASSERT_FALSE(twice);
    EXPECT_NE(twice.failure().message.find("default/demo"), std::string::npos);
}

TEST(Fleet, PushedValuesNeedNoNetwork) {
    world w;
    const scaler_id id = w.add_text(pushed("demo"));
    sample given;
    given.state = sample_state::ok;
    given.value = 42.5;
    decide::observation seen;
    seen.now_ms = w.wall_ms;
    seen.spec_replicas = 3;
    seen.samples = {&given, 1};
    ASSERT_TRUE(w.fleet.observe(id, seen));
    w.run(15'000);
    const auto event = w.fleet.take_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->decision.desired_replicas, 6);
    EXPECT_TRUE(w.loop->requests().empty());
}

TEST(Fleet, AnInterruptedPollIsBegunAgain) {
    world w;
    w.answer(42.5, 200);
    const scaler_id id = w.add("demo");
    w.observe(id, 3);
    while (w.loop->requests().empty()) w.run(1);
    w.fleet.interrupt();
    EXPECT_EQ(w.fleet.stats().polls_in_flight, 0U);
    w.run(1'000);
    EXPECT_EQ(w.loop->requests().size(), 2U);
    EXPECT_TRUE(w.fleet.take_event());
}

TEST(Fleet, ReportsComeWhereTheyAreAskedFor) {
    fleet_options with;
    with.reports = true;
    with.every_decision = true;
    world w(with);
    w.answer(5.0);
    w.observe(w.add("demo"), 1);
    for (int i = 0; i < 4; ++i) {
        w.run(15'000);
        const auto event = w.fleet.take_event();
        ASSERT_TRUE(event) << "every decision is told";
        EXPECT_NE(event->report.find("\"trace\""), std::string::npos);
    }
}

fleet_options observing_first() {
    fleet_options with;
    with.observe_first = true;
    with.every_decision = true;
    return with;
}

TEST(Fleet, APollWaitsForTheObservationThatItAsksFor) {
    world w(observing_first());
    w.answer(5.0);
    const scaler_id id = w.add("demo");
    for (std::size_t polls = 0; polls < 3; ++polls) {
        w.run(60'000);  // the host takes its time
        EXPECT_EQ(w.loop->requests().size(), polls);
        const auto due = w.fleet.take_event();
        ASSERT_TRUE(due);
        EXPECT_TRUE(due->is_due);
        EXPECT_EQ(due->name, "default/demo");
        EXPECT_FALSE(w.fleet.take_event()) << "it is said once";
        w.observe(id, 2);
        w.run(1'000);
        const auto decided = w.fleet.take_event();
        ASSERT_TRUE(decided);
        EXPECT_FALSE(decided->is_due);
        EXPECT_EQ(decided->decision.current_replicas, 2);
    }
    EXPECT_EQ(w.fleet.stats().events_waiting, 0U);
    EXPECT_LE(w.fleet.stats().lag.max_ms(), 50) << "what the host needs is not a lag of the runtime";
}

TEST(Fleet, AnObservationMayComeBeforeTheEventIsTaken) {
    world w(observing_first());
    w.answer(5.0);
    const scaler_id id = w.add("demo");
    w.observe(id, 2);  // it was not asked yet
    w.run(15'000);
    EXPECT_EQ(w.fleet.stats().events_waiting, 1U);
    EXPECT_TRUE(w.loop->requests().empty());
    w.observe(id, 3);
    EXPECT_EQ(w.fleet.stats().events_waiting, 0U);
    w.run(1'000);
    EXPECT_EQ(w.loop->requests().size(), 1U);
    w.run(60'000);  // the next one is due, and the decision still waits
    EXPECT_EQ(w.fleet.stats().events_waiting, 1U);
    auto event = w.fleet.take_event();
    ASSERT_TRUE(event);
    EXPECT_FALSE(event->is_due);
    EXPECT_EQ(event->decision.current_replicas, 3);
    event = w.fleet.take_event();
    ASSERT_TRUE(event);
    EXPECT_TRUE(event->is_due);
    w.fleet.put_back(*event);
    EXPECT_EQ(w.fleet.stats().events_waiting, 1U);
    const auto again = w.fleet.take_event();
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->is_due);
    EXPECT_EQ(again->sequence, event->sequence) << "the number was not seen";
}

TEST(Fleet, AnotherManifestAsksAnew) {
    world w(observing_first());
    w.answer(5.0);
    const scaler_id id = w.add("demo");
    w.run(15'000);
    ASSERT_TRUE(w.fleet.take_event()->is_due);
    ASSERT_TRUE(w.fleet.replace(id, w.spec("demo", 50), {}));
    w.run(15'000);
    const auto event = w.fleet.take_event();
    ASSERT_TRUE(event);
    EXPECT_TRUE(event->is_due);
    ASSERT_TRUE(w.fleet.remove(id));
    w.run(60'000);
    EXPECT_EQ(w.fleet.stats().events_waiting, 0U);
    EXPECT_TRUE(w.loop->requests().empty());
}

TEST(Fleet, DescribesAScaler) {
    world w;
    w.loop->answer_with([](const http::request&) { return scripted_fault(http::fault::connect); });
    const scaler_id id = w.add("demo");
    w.observe(id, 3);
    w.run(15'000);
    const auto text = w.fleet.describe(id);
    ASSERT_TRUE(text);
    for (const char* part : {"\"name\":\"demo\"", "\"current_replicas\":3", "\"E_UNAVAILABLE\"", "\"metrics\""}) {
        EXPECT_NE(text->find(part), std::string::npos) << part << " in " << *text;
    }
    EXPECT_EQ(w.fleet.stats().errors.at("E_UNAVAILABLE"), 1U);
}

}  // namespace
}  // namespace gputide::runtime
