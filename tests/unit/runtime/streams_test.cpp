// Streams on which peers tell by themselves: when they are held, what a word does, how they are opened again, when they end.
#include "fleet_support.hpp"
#include "runtime/fleet/listener.hpp"
#include "runtime/log.hpp"

#include <gtest/gtest.h>

#include <map>
#include <new>

namespace gputide::runtime {
namespace {

using testing::scripted_answer;

constexpr char trigger[] = R"({"type":"external-push","metadata":{"scalerAddress":"localhost:6000"}})";

std::string framed(const std::string& message) {
    return std::string(4, '\0') + static_cast<char>(message.size()) + message;
}
const std::string active = framed("\x08\x01");
const std::string idle = framed("");

// An external scaler behind the loop.
struct peer {
    double value = 0.0;
    bool is_active = false;
    std::function<scripted_answer()> stream = [] { return held({}); };
    std::map<std::string, int> calls;

    static scripted_answer answered(std::string body, const char* status = "0") {
        return testing::scripted(200, std::move(body), {{"content-type", "application/grpc"}, {"grpc-status", status}});
    }
    // Says these in their times and stays open.
    static scripted_answer held(std::vector<std::pair<std::int64_t, std::string>> words) {
        scripted_answer out = answered({});
        out.delay_ms = 1'000'000'000;
        out.later = std::move(words);
        return out;
    }

    scripted_answer operator()(const http::request& what) {
        const std::string method = what.url.substr(what.url.rfind('/') + 1);
        ++calls[method];
        if (method == "StreamIsActive") return stream();
        if (method == "IsActive") return answered(is_active ? active : idle);
        if (method == "GetMetricSpec") return answered(framed("\x0a\x05\x0a\x01q\x10\x05"));
        return answered(framed(std::string("\x0a\x02\x10") + static_cast<char>(value)));
    }
};

struct streams : ::testing::Test {
    static fleet_options every_decision() {
        fleet_options out;
        out.every_decision = true;
        out.start_spread_ms = 1;
        return out;
    }
    void SetUp() override {
        w.loop->answer_with([this](const http::request& what) { return scaler(what); });
    }
    // minReplicaCount 0, and polled each 30 s; the HPA half each 15 s.
    static std::string manifest_of(const std::string& name, const std::string& more = "") {
        return R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":")" + name +
               R"("},"spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":0)" + more + R"(,"triggers":[)" +
               trigger + "]}}";
    }
    scaler_id add(const std::string& text = manifest_of("demo")) {
        const scaler_id id = w.add_text(text);
        w.observe(id, 0);
        return id;
    }
    std::uint64_t polls() const { return w.fleet.stats().polls; }
    int opened() { return scaler.calls["StreamIsActive"]; }
    int desired() {
        int out = -1;
        while (const auto event = w.fleet.take_event()) out = event->decision.desired_replicas;
        return out;
    }
    peer scaler;
    world w{every_decision()};
};

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
    for (const auto& one : cases) {
        world host{every_decision()};
        scaler.is_active = one.is_active;
        scaler.stream = [&one] { return peer::held({{50, one.says ? active : idle}}); };
        host.loop->answer_with([this](const http::request& what) {
            scripted_answer out = scaler(what);
            if (out.later.empty()) out.delay_ms += 100;
            return out;
        });
        host.observe(host.add_text(manifest_of("demo")), 0);
        host.run(3'000);
        EXPECT_EQ(host.fleet.stats().stream_words, 1U);
        EXPECT_EQ(host.fleet.stats().polls, one.polls) << one.says << one.is_active;
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
    ASSERT_TRUE(w.fleet.replace(id, world::spec_of(manifest_of("demo", R"(,"maxReplicaCount":3)")), {}));
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
    scaler.is_active = false;  // and nobody says so, as KEDA would not listen
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
        ASSERT_TRUE(host.fleet.hasten(id));
        host.observe(id, 0);
        host.run(word_ms + 50);
        scaler.stream = [] { return peer::held({}); };
        ASSERT_EQ(host.fleet.stats().polls_in_flight, 1U) << word_ms;
        ASSERT_EQ(host.fleet.stats().stream_words, 1U) << word_ms;
        const std::uint64_t before = host.fleet.stats().polls;
        ASSERT_TRUE(host.fleet.replace(id, world::spec_of(manifest_of("demo", R"(,"maxReplicaCount":3)")), {}));
        host.run(1'100);
        EXPECT_EQ(host.fleet.stats().polls, before + 1) << word_ms;
    }
}

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
    few.most_per_endpoint = 1;
    few.most_in_flight = 2;
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
    few.most_streams = 2;
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
    few.most_streams = 2;
    world narrow{few};
    narrow.loop->answer_with([this](const http::request& what) { return scaler(what); });
    const scaler_id one = narrow.add_text(manifest_of("one"));
    narrow.observe(one, 0);
    narrow.run(1'000);
    std::string both = manifest_of("both");
    both.insert(both.rfind("]"), std::string(",") + trigger);
    narrow.observe(narrow.add_text(both), 0);
    narrow.run(1'000);
    EXPECT_EQ(narrow.fleet.stats().streams, 2U);
    ASSERT_TRUE(narrow.fleet.remove(one));
    EXPECT_EQ(narrow.fleet.stats().streams, 1U);
    narrow.run(16'000);
    EXPECT_EQ(narrow.fleet.stats().streams, 2U);
    EXPECT_EQ(opened(), 3) << "the one that it had stays";
}

TEST_F(streams, another_manifest_has_the_places_of_the_one_before) {
    fleet_options few = every_decision();
    few.most_streams = 1;
    world narrow{few};
    narrow.loop->answer_with([this](const http::request& what) { return scaler(what); });
    const scaler_id id = narrow.add_text(manifest_of("demo"));
    narrow.observe(id, 0);
    narrow.run(1'000);
    log_reader log(log_level::warning);
    ASSERT_TRUE(narrow.fleet.replace(id, world::spec_of(manifest_of("demo", R"(,"maxReplicaCount":3)")), {}));
    EXPECT_EQ(narrow.fleet.stats().streams, 1U);
    EXPECT_FALSE(log.next(0, nullptr)) << "nobody lacks a stream";
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
    ASSERT_TRUE(w.fleet.replace(id, world::spec_of(manifest_of("demo", R"(,"maxReplicaCount":3)")), {}));
    w.run(500);
    EXPECT_EQ(opened(), 2);
    EXPECT_EQ(w.fleet.stats().streams, 1U);
    EXPECT_EQ(polls(), 1U);
    w.run(1'500);
    EXPECT_EQ(w.fleet.stats().stream_words, 0U) << "the first one's word, at 3 s, is nobody's any more";
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
    EXPECT_EQ(held_by(manifest_of("pushed"), 3.0), 0U) << "the host brings the number: nobody is asked";
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
    ASSERT_TRUE(host.fleet.hasten(id));
    host.run(100);
    host.observe(id, 0);
    host.run(7'100);
    const std::string other = manifest_of("demo", R"(,"maxReplicaCount":3)");
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

}  // namespace
}  // namespace gputide::runtime
