// The trace as JSON and as lines: what an operator and a program read.
#include "decide/trace/report.hpp"

#include "decide/state/text.hpp"
#include "decide/trace/trace.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gputide::decide {

namespace {

using nlohmann::json;
using scene::driven;
using scene::value;

// The steps of that name, as JSON.
std::vector<json> steps_of(const json& report, const std::string& name) {
    std::vector<json> out;
    for (const json& entry : report.at("trace")) {
        if (entry.at("step") == name) out.push_back(entry);
    }
    return out;
}

json report_of(driven& scaler, std::int64_t at_ms, const std::vector<sample>& samples) {
    trace why;
    const decision made = scaler.look(at_ms, samples, &why);
    const std::string text = decision_json(scaler.by, made, &why);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return json::parse(text);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Report, HasTheWordsThatToolsLeanOn) {
    driven scaler(scene::hpa(), 3);
    scaler.by.scaling.name = "my-gpu-workload";
    const json got = report_of(scaler, 0, {value(45, scene::start_ms - 3000)});
    EXPECT_EQ(got.at("time"), "2027-01-15T08:00:00.000Z");
    EXPECT_EQ(got.at("name"), "my-gpu-workload");
    EXPECT_EQ(got.at("namespace"), "default");
    EXPECT_EQ(got.at("current_replicas"), 3);
    EXPECT_EQ(got.at("desired_replicas"), 6);
    EXPECT_EQ(got.at("proposed_replicas"), 9);
    EXPECT_EQ(got.at("active"), true);
    EXPECT_EQ(got.at("limited_by"), "scale_up_limit");
    EXPECT_EQ(got.at("source"), "hpa");
    EXPECT_EQ(got.at("next_due_in_ms"), 15000);
    EXPECT_EQ(got.at("conditions").at(0).at("type"), "AbleToScale");
    EXPECT_EQ(got.at("conditions").at(0).at("reason"), "ReadyForNewScale");
    EXPECT_EQ(got.at("conditions").at(0).at("message"), "recommended size matches current size");
    const json metric = steps_of(got, "metric").at(0);
    EXPECT_EQ(metric.at("metric"), "s0-prometheus");
    EXPECT_EQ(metric.at("value"), 45.0);
    EXPECT_EQ(metric.at("age_ms"), 3000);
    EXPECT_EQ(metric.at("proposed_replicas"), 9);
    EXPECT_DOUBLE_EQ(metric.at("scales_up_above"), 16.5);
    EXPECT_DOUBLE_EQ(metric.at("scales_down_below"), 13.5);
    EXPECT_TRUE(has(metric.at("text"), "scales up above 16.5"));
}

TEST(Report, SaysWhichRecommendationHoldsAndHowLong) {
    driven scaler(scene::hpa(), 10);
    scaler.tick(0, {value(50)});
    const json step = steps_of(report_of(scaler, 188'000, {value(10)}), "stabilise").at(0);
    EXPECT_EQ(step.at("held_by"), 10);
    EXPECT_EQ(step.at("held_age_ms"), 188'000);
    EXPECT_EQ(step.at("free_in_ms"), 112'000);
    EXPECT_TRUE(has(step.at("text"), "may scale down in 1m52s"));
}

TEST(Report, SaysWhichPolicyLimitsAndWhatItCounted) {
    driven scaler(scene::hpa(1, 50), 10);
    scaler.by.scaling.behavior = scene::default_behavior();
    scaler.by.scaling.behavior->up.policies = {{manifest::policy_type::pods, 4, 60}};
    scaler.with.ups.push_back({3, false, scene::start_ms - 20'000});
    const json got = report_of(scaler, 0, {value(200)});
    EXPECT_EQ(got.at("desired_replicas"), 11);
    const json step = steps_of(got, "rate").at(0);
    EXPECT_EQ(step.at("limit"), 11);
    EXPECT_EQ(step.at("changed_up"), 3);
    EXPECT_EQ(step.at("size_at_period_start"), 7);
    EXPECT_EQ(step.at("free_in_ms"), 40'000);
    EXPECT_EQ(steps_of(got, "result").at(0).at("may_change_in_ms"), 40'000);
}

TEST(Report, SaysHowLongTheCooldownLasts) {
    driven scaler(scene::scaled_object(0), 1);
    scaler.with.last_active_ms = scene::start_ms - 100'000;
    const json got = report_of(scaler, 0, {value(0)});
    EXPECT_EQ(got.at("limited_by"), "cooldown");
    const json step = steps_of(got, "executor").at(0);
    EXPECT_EQ(step.at("cooldown_left_ms"), 200'001);
    EXPECT_TRUE(has(step.at("text"), "cooldownPeriod"));
    EXPECT_EQ(steps_of(got, "result").at(0).at("may_change_in_ms"), 200'001);
}

TEST(Report, SaysWhyAPartOfTheSizeHasNoNode) {
    driven scaler(scene::hpa(), 8);
    scaler.startable = 5;
    const json got = report_of(scaler, 0, {value(40)});
    EXPECT_EQ(got.at("limited_by"), "no_capacity");
    const json step = steps_of(got, "result").at(0);
    EXPECT_EQ(step.at("startable_replicas"), 5);
    EXPECT_EQ(step.at("no_capacity"), "gpunp is at its maximum of 2");
    EXPECT_TRUE(has(step.at("text"), "a part of it has no node; 5 can start: gpunp is at its maximum of 2"));
}

TEST(Report, FailuresCarryTheReadersWords) {
    driven scaler(scene::hpa(), 3);
    trace why;
    const decision made = scaler.look(0, {scene::no_value(sample_state::auth)}, &why);
    const text_details details{"401 from https://prometheus", ""};
    const json got = json::parse(decision_json(scaler.by, made, &why, details));
    EXPECT_TRUE(has(got.at("error"), "invalid metrics (1 invalid out of 1), first error is: "));
    EXPECT_TRUE(has(got.at("error"),
                    "failed to compute desired number of replicas based on listed metrics for Deployment/default/web"));
    EXPECT_TRUE(has(got.at("error"), "401 from https://prometheus"));
    EXPECT_TRUE(has(steps_of(got, "metric").at(0).at("text"), "401 from https://prometheus"));
    std::string buffer;
    EXPECT_TRUE(has(std::string(condition_message(scaler.by, made, condition_type::scaling_active, details, buffer)),
                    "the HPA was unable to compute the replica count: unable to get external metric"));
    EXPECT_TRUE(has(decision_json(scaler.by, made), "the credentials were refused"));
}

TEST(Report, HasOneSentencePerStep) {
    driven scaler(scene::scaled_object(), 3);
    trace why;
    const decision made = scaler.look(0, {value(15)}, &why);
    std::vector<step_text> steps;
    step_sink sink{.texts = &steps};
    write_steps(sink, scaler.by, made, why);
    std::string lines;
    for (const step_text& step : steps) lines += step.text + "\n";
    EXPECT_TRUE(
        has(lines, "s0-prometheus: 15; active, above 0; target 5 per replica, ratio 1 within 0.9..1.1 → 3 replicas"));
    EXPECT_TRUE(has(lines, "KEDA's half, row A4: active; the HPA half decides the size\n"));
    EXPECT_TRUE(has(lines, "3 stays 3 (hpa): within the tolerance of the target\n"));
    ASSERT_EQ(steps.back().step, "result");
}

TEST(Report, EveryStepIsJsonWithItsSentence) {
    manifest::scaling spec = scene::scaled_object(1, 20).scaling;
    spec.modifiers = manifest::scaling_modifiers{"a", "5", "", manifest::target_type::average_value};
    spec.extra.confirm_k = 2;
    spec.extra.confirm_n = 3;
    spec.extra.group_size = 2;
    spec.extra.max_gpus_milli = 9000;
    std::vector<metric_policy> metrics = {scene::metric("s0-\"quoted\"", 1000), scene::metric("cpu", 0)};
    metrics[0].user_name = "a";
    metrics[1].kind = metric_kind::resource;
    metrics[1].decides_activity = false;
    const result<policy> by = make_policy(spec, metrics);
    ASSERT_TRUE(by.ok());
    driven scaler(*by, 3);
    const json got = report_of(scaler, 0, {value(200), sample{}});
    for (const char* name :
         {"metric", "formula", "executor", "combine", "confirm", "group", "stabilise", "rate", "bounds", "result"}) {
        ASSERT_FALSE(steps_of(got, name).empty()) << name;
    }
    for (const json& step : got.at("trace")) EXPECT_FALSE(step.at("text").get<std::string>().empty());
    EXPECT_EQ(steps_of(got, "metric").at(1).at("failure"), "no_target");
    EXPECT_EQ(steps_of(got, "bounds").at(0).at("affordable"), 9);
}

TEST(Report, NothingDueIsShort) {
    driven scaler(scene::scaled_object(), 3);
    scaler.tick(0, {value(15)});
    const json got = report_of(scaler, 5'000, {value(15)});
    EXPECT_EQ(got.at("limited_by"), "not_due");
    EXPECT_EQ(got.at("next_due_in_ms"), 10'000);
    ASSERT_EQ(got.at("trace").size(), 2U);
    EXPECT_EQ(got.at("trace").at(0).at("step"), "verdict");
    EXPECT_EQ(got.at("trace").at(1).at("step"), "result");
}

TEST(Texts, NamesOfMetricsAsTheHpaWritesThem) {
    policy by = scene::hpa();
    by.metrics = {scene::metric("qps", 1000), scene::metric("depth", 1000, manifest::target_type::value),
                  scene::metric("cpu", 0, manifest::target_type::utilization)};
    by.metrics[0].kind = metric_kind::pods;
    by.metrics[1].kind = metric_kind::object;
    by.metrics[1].subject =
        std::make_shared<const manifest::metric_subject>(manifest::metric_subject{.object_kind = "Queue"});
    by.metrics[2].kind = metric_kind::container_resource;
    EXPECT_EQ(metric_text(by, 0), "pods metric qps");
    EXPECT_EQ(metric_text(by, 1), "Queue metric depth");
    EXPECT_EQ(metric_text(by, 2), "cpu container resource utilization (percentage of request)");
}

TEST(Texts, ATriggerIsCalledByItsOwnName) {
    policy by = scene::hpa();
    EXPECT_EQ(trigger_name(by, 0), "s0-prometheus");
    by.metrics[0].user_name = "queue";
    EXPECT_EQ(trigger_name(by, 0), "queue");
    EXPECT_EQ(trigger_name(by, composite_metric), "composite-metric");
    EXPECT_EQ(trigger_name(by, 99), "");
}

TEST(Texts, EachConditionThatIsSetHasAMessage) {
    for (std::int32_t i = 1; i <= static_cast<std::int32_t>(reason::scaled_object_paused); ++i) {
        decision made;
        std::string buffer;
        made.conditions[0] = {truth::yes, static_cast<reason>(i), 0};
        EXPECT_FALSE(condition_message(scene::hpa(), made, condition_type::able_to_scale, {}, buffer).empty()) << i;
    }
}

}  // namespace

namespace {

using scene::driven;
using scene::value;

sample told(double number, activity_word activity, std::int64_t target_milli) {
    sample out = value(number);
    out.activity = activity;
    out.target_milli = target_milli;
    return out;
}

// The manifest's own target is none.
policy polled(std::int32_t min) {
    policy by = scene::scaled_object(min);
    by.metrics.front().target_milli = 0;
    return by;
}

TEST(SourceWords, TheTargetIsTheSources) {
    driven scaler(polled(1), 3);
    const decision made = scaler.tick(0, {told(20, activity_word::active, 5'000)});
    EXPECT_EQ(made.proposed_replicas, 4);
    EXPECT_EQ(made.failed_count, 0);
    driven none(polled(1), 3);
    EXPECT_EQ(none.tick(0, {value(20)}).failure, metric_failure::no_target);
}

TEST(SourceWords, ActivityIsTheSourcesAndNotTheNumbers) {
    driven awake(polled(0), 0);
    EXPECT_EQ(awake.tick(0, {told(0, activity_word::active, 5'000)}).desired_replicas, 1);
    driven asleep(polled(0), 0);
    EXPECT_EQ(asleep.tick(0, {told(50, activity_word::inactive, 5'000)}).desired_replicas, 0);
}

TEST(SourceWords, AnEmptyAnswerIsAnActivityWithoutAProposal) {
    sample empty = scene::no_value(sample_state::empty);
    empty.activity = activity_word::active;
    empty.target_milli = 5'000;
    driven awake(polled(0), 0);
    const decision woken = awake.tick(0, {empty});
    EXPECT_EQ(woken.desired_replicas, 1);
    EXPECT_FALSE(woken.error);
    driven running(polled(0), 3);
    const decision held = running.tick(0, {empty});
    EXPECT_EQ(held.desired_replicas, 3);
    EXPECT_EQ(held.failure, metric_failure::no_metrics);
    driven plain(polled(0), 0);
    EXPECT_EQ(plain.tick(0, {scene::no_value(sample_state::empty)}).desired_replicas, 0);
}

TEST(SourceWords, TheFallbackCountsByTheLastTarget) {
    policy by = polled(1);
    by.scaling.fallback = manifest::fallback{0, 6};
    by.fallback_on = true;
    driven scaler(by, 3);
    scaler.tick(0, {told(15, activity_word::active, 5'000)});
    EXPECT_EQ(scaler.tick(30'000, {scene::no_value(sample_state::failed)}).proposed_replicas, 6);
    EXPECT_EQ(scaler.tick(60'000, {scene::no_value(sample_state::failed)}).proposed_replicas, 6);
    const result<state> back = load_state(by, save_state(by, scaler.with));
    ASSERT_TRUE(back) << back.failure().message;
    EXPECT_EQ(back->health[0].last.target_milli, 5'000) << "over a restart as well";
}

TEST(SourceWords, OwnThresholdsAreOfTheSourcesTarget) {
    policy by = polled(1);
    by.metrics.front().rules.scale_up_above = 8.0;
    driven scaler(by, 3);
    EXPECT_EQ(scaler.tick(0, {told(21, activity_word::active, 5'000)}).proposed_replicas, 3) << "7 a replica";
    EXPECT_EQ(scaler.tick(30'000, {told(25, activity_word::active, 5'000)}).proposed_replicas, 5);
}

TEST(SourceWords, ComeBackFromASavedState) {
    const policy by = polled(1);
    driven scaler(by, 3);
    scaler.tick(0, {told(20, activity_word::inactive, 5'000)});
    const std::string text = save_state(by, scaler.with);
    const result<state> back = load_state(by, text);
    ASSERT_TRUE(back) << back.failure().message;
    EXPECT_EQ(back->health[0].last.activity, activity_word::inactive);
    EXPECT_EQ(back->health[0].last.target_milli, 5'000);
    EXPECT_EQ(save_state(by, *back), text);
}

}  // namespace

}  // namespace gputide::decide
