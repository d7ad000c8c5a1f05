// A ScaledObject on its way from KEDA to gputide and back: what is done, waited for and refused as the cluster stands.
#include "kubernetes/handover/handover.hpp"

#include "support.hpp"

#include <algorithm>
#include <tuple>

namespace gputide::kubernetes {
namespace {

using testing::scripted;
using testing::scripted_answer;
using testing::scripted_fault;
using testing::status_body;

handover_change to(handover_side side) {
    handover_change out;
    out.object = {"ml", "llm"};
    out.to = side;
    out.dry = false;
    return out;
}

handover_view of_keda() {
    handover_view out;
    out.facts.key = {"ml", "llm"};
    out.facts.resource_version = "7";
    out.is_kedas = true;
    out.hpas = {"keda-hpa-llm"};
    return out;
}

next_handover adopted(const handover_view& seen) { return next_of(to(handover_side::gputide), seen, false); }
next_handover released(const handover_view& seen, bool is_settled = true) {
    return next_of(to(handover_side::keda), seen, is_settled);
}

TEST(Handover, ToGputideStepAfterStep) {
    handover_view seen = of_keda();
    next_handover next = adopted(seen);
    EXPECT_EQ(next.patch, R"({"metadata":{"resourceVersion":"7","annotations":{"autoscaling.keda.sh/paused":"true",)"
                          R"("gputide.io/handover":"gputide"}}})");
    seen.paused = "true";
    seen.under_way = "gputide";
    next = adopted(seen);
    EXPECT_EQ(next.move, handover_move::wait);
    EXPECT_EQ(next.step, 1U);
    seen.says_paused = true;
    next = adopted(seen);
    EXPECT_EQ(next.move, handover_move::wait);
    EXPECT_EQ(next.step, 2U);
    seen.hpas.clear();
    next = adopted(seen);
    EXPECT_EQ(next.patch, R"({"metadata":{"resourceVersion":"7","annotations":{"gputide.io/owner":"gputide",)"
                          R"("gputide.io/handover":null}}})");
    seen.owner = "gputide";
    seen.under_way.clear();
    EXPECT_EQ(adopted(seen).move, handover_move::done);
}

TEST(Handover, ToKedaStepAfterStep) {
    handover_view seen = of_keda();
    seen.hpas.clear();
    seen.owner = "gputide";
    seen.paused = "true";
    seen.says_paused = true;
    next_handover next = released(seen);
    EXPECT_EQ(next.patch, R"({"metadata":{"resourceVersion":"7","annotations":{"gputide.io/owner":null,)"
                          R"("gputide.io/handover":"gputide"}}})");
    seen.owner.clear();
    seen.under_way = "gputide";
    EXPECT_EQ(released(seen, false).move, handover_move::settle);
    next = released(seen, true);
    EXPECT_EQ(next.patch, R"({"metadata":{"resourceVersion":"7","annotations":{"autoscaling.keda.sh/paused":null,)"
                          R"("gputide.io/handover":null}}})");
    seen.under_way.clear();
    seen.paused.reset();
    EXPECT_EQ(released(seen).message, "KEDA has not created its HPA yet");
    seen.hpas = {"keda-hpa-llm"};
    EXPECT_EQ(released(seen).message, "KEDA's condition is still Paused=True");
    seen.says_paused = false;
    EXPECT_EQ(released(seen).move, handover_move::done);
}

// An adoption that was cut off goes back by a release, and the other way round.
TEST(Handover, TurnsRoundInTheMiddle) {
    handover_view seen = of_keda();
    seen.paused = "true";
    seen.under_way = "gputide";
    EXPECT_EQ(released(seen, false).move, handover_move::settle);
    EXPECT_EQ(released(seen, true).step, 2U);
    seen.says_paused = true;
    seen.hpas.clear();
    EXPECT_EQ(adopted(seen).step, 3U);
}

TEST(Handover, APauseThatIsFalseIsNone) {
    handover_view seen = of_keda();
    seen.paused = "false";
    EXPECT_EQ(adopted(seen).move, handover_move::write);
    seen.paused = "yes";  // KEDA reads anything else as a pause
    EXPECT_EQ(adopted(seen).move, handover_move::refuse);
}

TEST(Handover, WhatWouldHurtIsRefused) {
    const auto refuses = [](auto spoil) {
        handover_view seen = of_keda();
        spoil(seen);
        return adopted(seen).move == handover_move::refuse;
    };
    EXPECT_FALSE(refuses([](handover_view&) {}));
    EXPECT_TRUE(refuses([](handover_view& seen) { seen.facts.deleting = true; }));
    EXPECT_TRUE(refuses([](handover_view& seen) { seen.owner = "other"; }));
    EXPECT_TRUE(refuses([](handover_view& seen) { seen.under_way = "other"; }));
    EXPECT_TRUE(refuses([](handover_view& seen) { seen.paused_replicas = "3"; }));
    EXPECT_TRUE(refuses([](handover_view& seen) { seen.paused = "true"; }));
    EXPECT_TRUE(refuses([](handover_view& seen) { seen.foreign_hpas = {"other"}; }));
}

TEST(Handover, AChangeIsReadWithItsDefaults) {
    const auto read = read_handover_change("{namespace: ml, name: llm, to: keda, lease_s: 60}");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->object.text(), "ml/llm");
    EXPECT_EQ(read->to, handover_side::keda);
    EXPECT_EQ(read->owner, "gputide");
    EXPECT_EQ(read->write_ms, 12'000);
    EXPECT_TRUE(read->dry);
    for (const char* text :
         {"", "{name: llm, to: keda}", "{namespace: ml, name: llm}", "{namespace: ml, name: llm, to: us}",
          "{namespace: ML, name: llm, to: keda}", "{namespace: ml, name: a/b, to: keda}",
          "{namespace: ml, name: llm, to: keda, dries: true}", "{namespace: ml, name: llm, to: keda, lease_s: 9999}",
          "{namespace: ml, name: llm, to: keda, owner: ''}"}) {
        const auto refused = read_handover_change(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.failure().status, status::invalid) << text;
    }
}

class HandoverOverTheNetwork : public ::testing::Test, protected testing::api_world {
  protected:
    std::string annotations = "{}";
    std::string hpas = "[]";
    std::vector<scripted_answer> patches;  // in order; then 200s
    std::vector<std::string> told;         // of the steps
    std::string version = "7";
    std::string target;  // a member of the status

    void status_target(const std::string& group, const std::string& group_version, const std::string& plural) {
        target = R"("scaleTargetGVKR":{"group":")" + group + R"(","version":")" + group_version + R"(","resource":")" +
                 plural + R"("},)";
    }
    std::ptrdiff_t reads_of_scales() const {
        const std::vector<std::string> all = asked();
        return std::count_if(all.begin(), all.end(), [](const std::string& text) {
            return text.find("kube-system") != std::string::npos || text.find("/scale?") != std::string::npos ||
                   text.ends_with("/scale");
        });
    }

    handover_outcome run(handover_change change, std::int64_t deadline_ms = 5'000) {
        loop->answer_with([this](const http::request& request) {
            if (request.method == "PATCH" && !patches.empty()) {
                const scripted_answer out = patches.front();
                patches.erase(patches.begin());
                return out;
            }
            if (request.url.find("/horizontalpodautoscalers?limit=") != std::string::npos) {
                if (request.url.ends_with("=250")) return scripted_fault(http::fault::too_large);
                return scripted(200, R"({"kind":"HorizontalPodAutoscalerList","metadata":{},"items":)" + hpas + "}");
            }
            return scripted(200,
                            R"({"kind":"ScaledObject","metadata":{"name":"llm","namespace":"ml","resourceVersion":")" +
                                version + R"(","finalizers":["finalizer.keda.sh"],"annotations":)" + annotations +
                                R"(},"spec":{"scaleTargetRef":{"name":"llm"}},"status":{)" + target +
                                R"("conditions":[{"type":"Paused","status":"True"}]}})");
        });
        std::optional<handover_outcome> out;
        hand_over(
            api, change, loop->steady_ms() + deadline_ms, [&](handover_outcome got) { out = std::move(got); },
            [&](std::size_t step, const handover_outcome::step& entry) {
                told.push_back(step_json(change, step, entry));
            });
        loop->run_until_idle();
        EXPECT_TRUE(out);
        return out.value_or(handover_outcome());
    }
    std::size_t written() const {
        std::size_t count = 0;
        for (const auto& request : loop->requests()) count += request.what.method == "PATCH" ? 1U : 0U;
        return count;
    }
};

TEST_F(HandoverOverTheNetwork, WhatSomebodyTakesAwayAgainIsNoHurry) {
    const handover_outcome got = run(to(handover_side::gputide));
    EXPECT_EQ(got.result, handover_result::waiting);
    EXPECT_EQ(got.message, "another writer reverts the change; the deadline has passed");
    EXPECT_LE(written(), 11U);
    EXPECT_GE(written(), 5U);
}

TEST_F(HandoverOverTheNetwork, AConflictAndAnUnknownEndAreLookedAtAnew) {
    annotations =
        R"({"gputide.io/owner":"gputide","autoscaling.keda.sh/paused":"true","gputide.io/handover":"gputide"})";
    patches = {scripted(409, status_body(409, "Conflict")), scripted(504, status_body(504, "Timeout")),
               scripted(403, status_body(403, "Forbidden", "no"))};
    const handover_outcome got = run(to(handover_side::gputide));
    EXPECT_EQ(got.result, handover_result::failed);
    EXPECT_EQ(got.why.status, status::forbidden);
    EXPECT_NE(got.message.find(R"(verbs: ["patch"])"), std::string::npos) << got.message;
    EXPECT_EQ(written(), 3U);
    EXPECT_EQ(got.steps[0].state, step_state::was_done);
    EXPECT_EQ(got.steps[3].state, step_state::waiting);
}

// It may be the one that scales the target.
TEST_F(HandoverOverTheNetwork, AnHpaThatCannotBeReadEndsItWithItsName) {
    hpas = R"([{"metadata":{"namespace":"ml","name":"broken"},"spec":NaN}])";
    const handover_outcome got = run(to(handover_side::gputide));
    EXPECT_EQ(got.result, handover_result::failed);
    EXPECT_EQ(got.message, "it is unknown whether the HPA ml/broken scales the target: it is not valid JSON");
    EXPECT_EQ(written(), 0U);
}

TEST_F(HandoverOverTheNetwork, StepsAreToldAsTheyHappen) {
    annotations = R"({"autoscaling.keda.sh/paused":"true","gputide.io/handover":"gputide"})";
    run(to(handover_side::keda));
    const std::vector<std::string> released{
        R"({"handover":"ml/llm","step":"disown","state":"was_done","took_ms":0,"message":""})",
        R"({"handover":"ml/llm","step":"settle","state":"waiting","took_ms":0,"message":""})",
        R"({"handover":"ml/llm","step":"settle","state":"done","took_ms":3000,"message":"waited 3 s, the longest that a )"
        R"(write by gputide takes; the replicas could not be read"})"};
    EXPECT_EQ(told, released);
}

TEST_F(HandoverOverTheNetwork, AWaitIsToldOnceHoweverLongItTakes) {
    annotations = R"({"autoscaling.keda.sh/paused":"true","gputide.io/handover":"gputide"})";
    hpas = R"([{"metadata":{"name":"keda-hpa-llm","ownerReferences":[{"kind":"ScaledObject","name":"llm"}]}}])";
    run(to(handover_side::gputide));
    EXPECT_GT(loop->requests().size(), 10U);
    const std::vector<std::string> adopted{
        R"({"handover":"ml/llm","step":"pause","state":"was_done","took_ms":0,"message":""})",
        R"({"handover":"ml/llm","step":"keda_paused","state":"was_done","took_ms":0,"message":""})",
        R"({"handover":"ml/llm","step":"hpa_gone","state":"waiting","took_ms":0,"message":"KEDA's HPA keda-hpa-llm )"
        R"(still exists"})"};
    EXPECT_EQ(told, adopted);
}

// By KEDA's status, which is not KEDA's alone to write.
TEST_F(HandoverOverTheNetwork, AStatusThatLeadsElsewhereIsNotAsked) {
    annotations = R"({"autoscaling.keda.sh/paused":"true","gputide.io/handover":"gputide"})";
    const std::string elsewhere = "v1/namespaces/kube-system/secrets/x?";
    for (const auto& [group, group_version, plural] : {std::tuple(std::string("apps"), elsewhere, "deployments"),
                                                       std::tuple(elsewhere, std::string("v1"), "deployments"),
                                                       std::tuple(std::string("apps"), std::string("v1"), "..")}) {
        status_target(group, group_version, plural);
        EXPECT_EQ(run(to(handover_side::keda)).steps[1].state, step_state::done);
    }
    EXPECT_EQ(reads_of_scales(), 0);
    status_target("apps", "v1", "deployments");
    run(to(handover_side::keda));
    EXPECT_GT(reads_of_scales(), 0);
}

TEST_F(HandoverOverTheNetwork, AnObjectWithoutAVersionIsNotWritten) {
    version.clear();
    const handover_outcome got = run(to(handover_side::gputide));
    EXPECT_EQ(got.result, handover_result::refused);
    EXPECT_EQ(written(), 0U);
}

TEST_F(HandoverOverTheNetwork, ADryOneWritesNothing) {
    handover_change change = to(handover_side::gputide);
    change.dry = true;
    const handover_outcome got = run(change);
    EXPECT_EQ(got.result, handover_result::planned);
    EXPECT_EQ(written(), 0U);
    EXPECT_EQ(
        outcome_json(change, got).substr(0, 106),
        R"({"namespace":"ml","name":"llm","to":"gputide","owner":"gputide","dry":true,"result":"planned","message":"n)");
}

TEST_F(HandoverOverTheNetwork, AnObjectThatIsNotThereFails) {
    loop->answer_next(scripted(404, status_body(404, "NotFound")));
    std::optional<handover_outcome> out;
    hand_over(api, to(handover_side::keda), loop->steady_ms() + 5'000,
              [&](handover_outcome got) { out = std::move(got); });
    loop->run_until_idle();
    ASSERT_TRUE(out);
    EXPECT_EQ(out->result, handover_result::failed);
    EXPECT_EQ(loop->requests().size(), 1U);
}

}  // namespace
}  // namespace gputide::kubernetes
