// When streams are held, how they are opened again, when they end.
#include "streams.hpp"

#include "runtime/fleet/hosted_scaler.hpp"
#include "runtime/log.hpp"
#include "support/failing_allocation.hpp"

#include <new>

namespace gputide::runtime {
namespace {

TEST_F(streams, one_that_breaks_is_opened_again_and_polling_goes_on) {
    w.loop->set_uniform(0.0);
    scaler.stream = [] { return peer::answered({}, "14"); };
    add();
    const std::vector<std::int64_t> at_s{0, 2, 6, 14, 30, 62, 122, 182};
    std::int64_t now_s = 0;
    for (std::size_t i = 0; i + 1 < at_s.size(); ++i) {
        w.run((at_s[i] - now_s) * 1'000 + 500);
        EXPECT_EQ(opened(), static_cast<int>(i) + 1) << at_s[i] << " s";
        w.run((at_s[i + 1] - at_s[i]) * 1'000 - 1'000);
        EXPECT_EQ(opened(), static_cast<int>(i) + 1) << "before " << at_s[i + 1] << " s";
        w.run(500);
        now_s = at_s[i + 1];
    }
    EXPECT_GE(polls(), 12U);
    EXPECT_TRUE(w.fleet.stats().errors.empty());
    scaler.stream = [] { return peer::held({{500, active}}); };
    w.run(61'000);
    EXPECT_EQ(w.fleet.stats().stream_words, 1U) << "it tells again";
    EXPECT_EQ(w.fleet.stats().stream_polls, 1U);
}

TEST_F(streams, a_dead_stream_is_in_no_queries_way) {
    fleet_options few = every_decision();
    few.max_per_endpoint = 1;
    few.max_in_flight = 2;
    world narrow{few};
    narrow.loop->answer_with([this](const http::request& what) { return scaler(what); });
    for (int i = 0; i < 5; ++i) {
        const scaler_id id = narrow.add_text(manifest_of("demo-" + std::to_string(i)));
        narrow.observe(id, 0);
    }
    narrow.run(20'000);
    EXPECT_EQ(narrow.fleet.stats().streams, 5U);
    EXPECT_EQ(narrow.fleet.stats().polls, 10U);
    EXPECT_TRUE(narrow.fleet.stats().errors.empty());
}

TEST_F(streams, there_are_only_so_many) {
    fleet_options few = every_decision();
    few.max_streams = 2;
    world narrow{few};
    narrow.loop->answer_with([this](const http::request& what) { return scaler(what); });
    std::vector<scaler_id> ids;
    for (int i = 0; i < 4; ++i) {
        ids.push_back(narrow.add_text(manifest_of("demo-" + std::to_string(i))));
        narrow.observe(ids.back(), 0);
    }
    narrow.run(1'000);
    EXPECT_EQ(narrow.fleet.stats().streams, 2U);
    EXPECT_EQ(opened(), 2);
    for (const scaler_id id : {ids[0], ids[1]}) ASSERT_TRUE(narrow.fleet.remove(id));
    narrow.run(16'000);
    const std::uint64_t now_held = narrow.fleet.stats().streams;
    EXPECT_EQ(now_held, 2U) << "a place that is free is taken at the next poll";
    EXPECT_EQ(narrow.fleet.stats().scalers, 2U);
}

TEST_F(streams, a_scaler_that_got_some_gets_the_others_when_there_are_places) {
    fleet_options few = every_decision();
    few.max_streams = 2;
    world narrow{few};
    narrow.loop->answer_with([this](const http::request& what) { return scaler(what); });
    const scaler_id id = narrow.add_text(manifest_of("one"));
    narrow.observe(id, 0);
    narrow.run(1'000);
    std::string both = manifest_of("both");
    both.insert(both.rfind("]"), std::string(",") + trigger);
    narrow.observe(narrow.add_text(both), 0);
    narrow.run(1'000);
    EXPECT_EQ(narrow.fleet.stats().streams, 2U);
    ASSERT_TRUE(narrow.fleet.remove(id));
    EXPECT_EQ(narrow.fleet.stats().streams, 1U);
    narrow.run(16'000);
    EXPECT_EQ(narrow.fleet.stats().streams, 2U);
    EXPECT_EQ(opened(), 3) << "the one that it had stays";
}

TEST_F(streams, another_manifest_has_the_places_of_the_one_before) {
    fleet_options few = every_decision();
    few.max_streams = 1;
    world narrow{few};
    narrow.loop->answer_with([this](const http::request& what) { return scaler(what); });
    const scaler_id id = narrow.add_text(manifest_of("demo"));
    narrow.observe(id, 0);
    narrow.run(1'000);
    log_reader log(log_level::warning);
    ASSERT_TRUE(narrow.fleet.replace(id, world::spec_of(manifest_of("demo", R"(,"cooldownPeriod":200)")), {}));
    EXPECT_EQ(narrow.fleet.stats().streams, 1U);
    EXPECT_FALSE(log.next(0, nullptr)) << "no scaler lacks a stream";
    narrow.run(500);
    EXPECT_EQ(opened(), 2);
}

TEST_F(streams, a_number_of_the_hosts_own_ends_its_stream_at_the_next_poll) {
    std::string both = manifest_of("demo");
    both.insert(both.rfind("]"), std::string(",") + trigger);
    const scaler_id id = add(both);
    w.run(1'000);
    EXPECT_EQ(w.fleet.stats().streams, 2U);
    const std::vector<sample> first{sample{.state = sample_state::ok, .value = 3.0}, sample{}};
    ASSERT_TRUE(w.fleet.push(id, first));
    w.run(16'000);
    EXPECT_EQ(w.fleet.stats().streams, 1U);
    const std::vector<sample> second{sample{}, sample{.state = sample_state::ok, .value = 3.0}};
    ASSERT_TRUE(w.fleet.push(id, second));
    w.run(15'000);
    EXPECT_EQ(w.fleet.stats().streams, 0U);
    EXPECT_EQ(opened(), 2);
    EXPECT_EQ(w.loop->pending(), 0U);
}

TEST_F(streams, a_scaler_that_leaves_takes_its_stream_along) {
    scaler.stream = [] { return peer::held({{10'000, active}}); };
    const scaler_id id = add();
    w.run(5'000);
    EXPECT_EQ(w.fleet.stats().streams, 1U);
    ASSERT_TRUE(w.fleet.remove(id));
    EXPECT_EQ(w.fleet.stats().streams, 0U);
    w.run(1'000);
    EXPECT_EQ(w.loop->pending(), 0U) << "neither the stream nor a timer is left";
    w.run(120'000);
    EXPECT_EQ(w.fleet.stats().stream_words, 0U);
    EXPECT_EQ(opened(), 1);
}

TEST_F(streams, one_that_waits_to_be_opened_again_ends_as_well) {
    scaler.stream = [] { return peer::answered({}, "14"); };
    const scaler_id id = add();
    w.run(1'000);
    ASSERT_TRUE(w.fleet.remove(id));
    w.run(120'000);
    EXPECT_EQ(opened(), 1);
    EXPECT_EQ(w.loop->pending(), 0U);
}

TEST_F(streams, another_manifest_has_another_stream_at_once) {
    scaler.stream = [] { return peer::held({{3'000, active}}); };
    const scaler_id id = add();
    w.run(2'000);
    ASSERT_TRUE(w.fleet.replace(id, world::spec_of(manifest_of("demo", R"(,"cooldownPeriod":200)")), {}));
    w.run(500);
    EXPECT_EQ(opened(), 2);
    EXPECT_EQ(w.fleet.stats().streams, 1U);
    EXPECT_EQ(polls(), 1U);
    w.run(1'500);
    EXPECT_EQ(w.fleet.stats().stream_words, 0U) << "the first one's word, at 3 s, is dropped";
    w.run(2'000);
    EXPECT_EQ(w.fleet.stats().stream_words, 1U);
    EXPECT_EQ(polls(), 2U);
    ASSERT_TRUE(w.fleet.replace(id, world::spec_of(pushed("demo")), {}));
    EXPECT_EQ(w.fleet.stats().streams, 0U);
    w.run(100);
    EXPECT_EQ(w.loop->pending(), 0U);
}

TEST_F(streams, who_is_interrupted_opens_them_again_when_it_is_polled) {
    add();
    w.run(5'000);
    w.fleet.interrupt();
    EXPECT_EQ(w.fleet.stats().streams, 0U);
    w.loop->advance(0);
    EXPECT_EQ(w.loop->pending(), 0U);
    w.run(15'000);
    EXPECT_EQ(w.fleet.stats().streams, 1U);
    EXPECT_EQ(opened(), 2);
}

TEST_F(streams, a_fleet_may_go_while_they_are_open) {
    auto other = std::make_unique<world>(every_decision());
    other->loop->answer_with([this](const http::request& what) { return scaler(what); });
    scaler.stream = [] { return peer::held({{3'000, active}}); };
    const scaler_id id = other->add_text(manifest_of("demo"));
    other->observe(id, 0);
    other->run(1'000);
    const std::shared_ptr<testing::scripted_loop> loop = other->loop;
    other.reset();
    loop->run_until_idle();
    EXPECT_EQ(opened(), 1);
}

// Memory that was exhausted once, where a stream is opened first, where it ended, and where it is opened again.
TEST_F(streams, one_that_found_no_memory_is_opened_by_the_next_poll) {
    const auto exhausted = []() -> scripted_answer { throw std::bad_alloc(); };
    scaler.stream = exhausted;
    add();
    EXPECT_THROW(w.run(1'000), std::bad_alloc);
    scaler.stream = [] { return peer::answered({}, "14"); };
    log_sink full;
    full.level = log_level::warning;
    full.write = [](log_level, const char*) { throw std::bad_alloc(); };
    set_log(std::move(full));
    EXPECT_THROW(w.run(16'000), std::bad_alloc);
    set_log({});
    EXPECT_EQ(opened(), 2);
    w.run(15'500);
    EXPECT_EQ(opened(), 3) << "what the peer ends is the listener's to open again";
    scaler.stream = exhausted;
    EXPECT_THROW(w.run(4'000), std::bad_alloc);
    EXPECT_EQ(opened(), 4);
    scaler.stream = [] { return peer::held({{100, active}}); };
    w.run(16'000);
    EXPECT_EQ(opened(), 5);
    EXPECT_EQ(w.fleet.stats().streams, 1U);
    EXPECT_EQ(w.fleet.stats().stream_words, 1U);
}

TEST_F(streams, who_needs_none_has_none) {
    const auto held_by = [this](const std::string& text, double given = -1.0) {
        const std::uint64_t before = w.fleet.stats().streams;
        const scaler_id id = w.add_text(text);
        sample number;
        number.state = sample_state::ok;
        number.value = given;
        if (given >= 0.0) {
            EXPECT_TRUE(w.fleet.push(id, {&number, 1}));
        }
        w.observe(id, 0);
        w.run(1'000);
        return w.fleet.stats().streams - before;
    };
    EXPECT_EQ(held_by(manifest_of("demo")), 1U);
    EXPECT_EQ(held_by(manifest_of("pushed"), 3.0), 0U) << "the host brings the number: nothing is asked";
    std::string plain = manifest_of("plain");
    plain.replace(plain.find("external-push"), 13, "external");
    EXPECT_EQ(held_by(plain), 0U);
    std::string paused = manifest_of("paused");
    paused.insert(paused.find(R"("name")"), R"("annotations":{"autoscaling.keda.sh/paused":"true"},)");
    EXPECT_EQ(held_by(paused), 0U);
}

TEST_F(streams, a_host_that_observes_first_is_asked_at_once) {
    fleet_options asking = every_decision();
    asking.observe_first = true;
    world host{asking};
    host.loop->answer_with([this](const http::request& what) { return scaler(what); });
    scaler.stream = [] { return peer::held({{7'000, active}}); };
    const scaler_id id = host.add_text(manifest_of("demo"));
    host.run(100);
    host.observe(id, 0);
    host.run(6'800);
    while (host.fleet.take_event()) {
    }
    scaler.is_active = true;
    host.run(300);
    const auto due = host.fleet.take_event();
    ASSERT_TRUE(due);
    EXPECT_TRUE(due->is_due);
    host.observe(id, 0);
    host.run(200);
    const auto decided = host.fleet.take_event();
    ASSERT_TRUE(decided);
    EXPECT_EQ(decided->decision.desired_replicas, 1);
}

TEST_F(streams, a_word_that_awaits_an_observation_outlives_its_manifest) {
    fleet_options asking = every_decision();
    asking.observe_first = true;
    asking.start_spread_ms = 0;
    world host{asking};
    host.loop->answer_with([this](const http::request& what) { return scaler(what); });
    scaler.stream = [] { return peer::held({{7'000, active}}); };
    const scaler_id id = host.add_text(manifest_of("demo"));
    ASSERT_TRUE(host.fleet.poll_soon(id));
    host.run(100);
    host.observe(id, 0);
    host.run(7'100);
    const std::string other = manifest_of("demo", R"(,"cooldownPeriod":200)");
    while (host.fleet.take_event()) {
    }
    ASSERT_TRUE(host.fleet.replace(id, world::spec_of(other), {}));
    host.run(100);
    const auto due = host.fleet.take_event();
    ASSERT_TRUE(due);
    EXPECT_TRUE(due->is_due);
}

TEST(Reopening, WaitsAsKedaDoes) {
    reopening plan;
    source::stream_end broken;
    broken.why = fail(status::unavailable, "gone");
    const source::stream_end good;
    const auto wait = [&plan](const source::stream_end& end, reopening::life life = {}, double uniform = 0.0) {
        return plan.wait_ms(end, life, uniform);
    };
    for (const std::int64_t expected : {2'000, 4'000, 8'000, 16'000, 32'000, 60'000, 60'000})
        EXPECT_EQ(wait(broken), expected);
    EXPECT_EQ(wait(broken, {59'000, true}), 60'000) << "having said something is not enough";
    EXPECT_EQ(wait(good, {500, false}), 60'000) << "nor is a good end at once";
    EXPECT_EQ(wait(good, {500, true}), 2'000);
    EXPECT_EQ(wait(broken), 4'000);
    EXPECT_EQ(wait(broken, {60'000, false}), 2'000) << "it had lasted";
    EXPECT_EQ(wait(broken, {}, 0.5), 5'000) << "4 s and half of a half";
    EXPECT_LT(wait(broken, {}, 0.999), 12'000);
    source::stream_end over;
    over.is_over_time = true;
    EXPECT_EQ(wait(over, {700'000, true}), 0);
    EXPECT_EQ(wait(broken), 2'000);
    source::stream_end unserved;
    unserved.why = fail(status::rejected, "no such method");
    unserved.is_unserved = true;
    EXPECT_EQ(wait(unserved), 60'000);
}

// Streams that are opened while memory ends: whichever allocation fails, none stays open without an owner.

TEST_F(streams, none_is_open_that_nobody_holds) {
    std::string three = manifest_of("demo");
    for (int i = 0; i < 2; ++i) three.insert(three.rfind("]"), std::string(",") + trigger);
    int allocation = 0;
    for (bool was_reached = true; was_reached; ++allocation) {
        scaler.calls.clear();
        world narrow{every_decision()};
        narrow.loop->answer_with([this](const http::request& what) { return scaler(what); });
        narrow.observe(narrow.add_text(three), 0);
        was_reached = testing::lacks_allocation(allocation, [&] { narrow.step(); });
        narrow.run(40'000);
        EXPECT_EQ(narrow.fleet.stats().streams, 3U) << allocation;
        EXPECT_EQ(opened(), 3) << allocation;
    }
    EXPECT_GT(allocation, 20);
}

}  // namespace

}  // namespace gputide::runtime
