// Metrics that a manifest names and nothing reads.
#include "doctor/trigger.hpp"

#include <gtest/gtest.h>

namespace gputide::doctor {
namespace {

decide::metric_policy pods_metric() {
    decide::metric_policy out;
    out.name = "gpu";
    out.kind = decide::metric_kind::pods;
    return out;
}

TEST(Unfed, FailsWithTheAdviceForItsKind) {
    const trigger_diagnosis diagnosis = diagnose_unread(pods_metric(), 1, std::nullopt, false);
    EXPECT_EQ(diagnosis.report.label, "metric 1 (Pods gpu)");
    ASSERT_EQ(diagnosis.report.steps.size(), 1U);
    const step& value = diagnosis.report.steps.front();
    EXPECT_EQ(value.verdict, verdict::failed);
    EXPECT_NE(value.cause.find("nothing scales down"), std::string::npos) << value.cause;
    EXPECT_EQ(value.fix.find("add the annotation gputide.io/metrics-from: kubernetes"), 0U) << value.fix;
    decide::metric_policy external = pods_metric();
    external.kind = decide::metric_kind::external;
    const trigger_diagnosis other = diagnose_unread(external, 0, std::nullopt, false);
    EXPECT_NE(other.report.steps.front().fix.find("gputide.io/source.gpu"), std::string::npos);
}

TEST(Unfed, IsWellWhereTheHostBringsIt) {
    gputide::sample pushed;
    pushed.state = sample_state::ok;
    pushed.value = 3;
    const trigger_diagnosis diagnosis = diagnose_unread(pods_metric(), 0, pushed, false);
    EXPECT_EQ(diagnosis.report.steps.front().verdict, verdict::ok);
    EXPECT_EQ(diagnosis.sample.value, 3);
    EXPECT_EQ(diagnose_unread(pods_metric(), 0, std::nullopt, true).report.steps.front().verdict, verdict::ok);
}

}  // namespace
}  // namespace gputide::doctor
