// What a Job of a ScaledJob is called, what of its template is taken over, and who belongs to whom.
#include "runtime/cluster/jobs/creation.hpp"
#include "runtime/cluster/jobs/objects.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

namespace gputide::runtime {
namespace {

config::scaled_job scaled_job(const std::string& name = "train") {
    config::scaled_job out;
    out.name = name;
    out.name_space = "ml";
    out.uid = "9d1c";
    out.generation = 3;
    return out;
}

TEST(JobCreation, EachNumberHasANameOfItsOwn) {
    constexpr std::int64_t count = 20'000;
    std::set<std::string> names;
    for (std::int64_t ordinal = 1; ordinal <= count; ++ordinal) names.insert(job_name(scaled_job(), ordinal));
    EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(names.begin()->substr(0, 6), "train-");
    EXPECT_EQ(names.begin()->size(), 11U);
    EXPECT_EQ(job_name(scaled_job(), 7), job_name(scaled_job(), 7));
    EXPECT_EQ(job_name(scaled_job(std::string(63, 'a')), 1).size(), 63U);
}

TEST(JobCreation, TheTemplateIsTakenOverButForWhatKedaSets) {
    const auto body = job_body(
        scaled_job(),
        R"({"parallelism":2,"template":{"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}},"spec":{"nodeName":"n"}}})",
        4);
    ASSERT_TRUE(body);
    EXPECT_NE(body->find(R"("parallelism":2)"), std::string::npos);
    EXPECT_NE(body->find(R"("annotations":{"c":"d"},"generateName":"train-")"), std::string::npos);
    EXPECT_NE(body->find(R"("spec":{"nodeName":"n","restartPolicy":"OnFailure"})"), std::string::npos);
    EXPECT_NE(body->find(R"("gputide.io/ordinal":"4","scaledjob.keda.sh/generation":"3")"), std::string::npos);
    EXPECT_FALSE(job_body(scaled_job(), "", 1));
    EXPECT_FALSE(job_body(scaled_job(), R"({"template":"none"})", 1));
}

TEST(Membership, WhoGoesIsKnownByHisKeyAlone) {
    membership all;
    all.put({"ml", "train-1"}, {"ml", "train"});
    all.put({"ml", "train-2"}, {"ml", "train"});
    EXPECT_EQ(all.members({"ml", "train"}).size(), 2U);
    all.put({"ml", "train-2"}, {"ml", "other"});
    EXPECT_EQ(all.members({"ml", "train"}).size(), 1U);
    all.drop({"ml", "train-1"});
    all.drop({"ml", "train-1"});
    EXPECT_TRUE(all.members({"ml", "train"}).empty());
}

}  // namespace
}  // namespace gputide::runtime
