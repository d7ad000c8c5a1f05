// A ScaledJob through the C API: text in, JSON out.
#include "support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace {

using json = nlohmann::json;

constexpr char scaled_job[] = R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"train"},
    "spec":{"jobTargetRef":{"template":{}},"maxReplicaCount":10,"successfulJobsHistoryLimit":1,
    "triggers":[{"type":"prometheus","metadata":{"serverAddress":"http://x","query":"q","threshold":"2"}}]}})";

json decided(const std::string& manifest, const std::string& seen, gputide_status expected = GPUTIDE_OK) {
    owned_text decision;
    auto err = sized<gputide_error>();
    const gputide_status got = gputide_scaled_job_decide(manifest.c_str(), GPUTIDE_TEXT, nullptr, seen.c_str(),
                                                         GPUTIDE_TEXT, &decision.value, &err);
    EXPECT_EQ(got, expected) << err.message;
    if (got != GPUTIDE_OK) return {{"where", err.where}, {"message", err.message}};
    return json::parse(decision.str());
}

TEST(Jobs, TheQueueSaysHowManyToCreate) {
    const json made = decided(scaled_job, R"({"values":[12.5],"running":3,"pending":1})");
    EXPECT_EQ(made.at("create"), 4) << "ceil(12.5 / 2) - 3";
    EXPECT_EQ(made.at("reasons").at("scale_to"), 13);
    EXPECT_EQ(made.at("reasons").at("strategy"), "default");
    EXPECT_EQ(made.at("events"),
              json::array({{{"type", "Normal"}, {"reason", "KEDAJobsCreated"}, {"message", "Created 4 jobs"}}}));
}

TEST(Jobs, JobsThemselvesAreCountedAndTheirHistoryTrimmed) {
    const json made = decided(scaled_job, R"({"values":[4],"jobs":[{"name":"a","pending":true},{"name":"b"},
        {"name":"c","ended":"complete","ended_ms":2},{"name":"d","ended":"complete","ended_ms":1}]})");
    EXPECT_EQ(made.at("create"), 0);
    EXPECT_EQ(made.at("reasons").at("running"), 2);
    EXPECT_EQ(made.at("reasons").at("pending"), 1);
    EXPECT_EQ(made.at("delete"), json::array({"d"}));
}

TEST(Jobs, WhatIsNotKnownHoldsEverything) {
    const json made = decided(scaled_job, R"({"values":[40],"unreadable":true})");
    EXPECT_EQ(made.at("held"), true);
    EXPECT_EQ(made.at("create"), 0);
    const json failed = decided(scaled_job, R"({"values":[null],"running":2})");
    EXPECT_EQ(failed.at("create"), 0);
    EXPECT_EQ(failed.at("conditions").at(0).at("reason"), "TriggerError");
}

TEST(Jobs, WrongInputNamesItsPlace) {
    for (const char* wrong :
         {"", "[]", R"({"values":[]})", R"({"values":["x"]})", R"({"values":[1],"running":-1})",
          R"({"values":[1],"jobs":[{}]})", R"({"values":[1],"jobs":[{"name":"a","ended":"soon"}]})"}) {
        const json got = decided(scaled_job, wrong, GPUTIDE_E_INVALID);
        EXPECT_NE(got.at("where").get<std::string>().find("seen"), std::string::npos) << wrong << got;
    }
    EXPECT_NE(decided(pushed_manifest, R"({"values":[1]})", GPUTIDE_E_INVALID)
                  .at("message")
                  .get<std::string>()
                  .find("no ScaledJob"),
              std::string::npos);
    auto err = sized<gputide_error>();
    gputide_policy* policy = nullptr;
    EXPECT_EQ(gputide_policy_open(scaled_job, GPUTIDE_TEXT, nullptr, &policy, &err), GPUTIDE_E_INVALID);
    EXPECT_NE(std::string(err.message).find("gputide_scaled_job_decide"), std::string::npos) << err.message;
}

}  // namespace
