// A diagnosis through the C API: values that the host pushes, a server that does not run, a manifest that is none.
#include "support.hpp"

#include <gtest/gtest.h>

namespace {

constexpr char stopped_server[] = R"x({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"demo"},
    "spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":2,"triggers":[{"type":"prometheus","metadata":{
    "serverAddress":"http://127.0.0.1:1","query":"up","threshold":"5"}}]}})x";

class Doctor : public testing::Test {
  protected:
    gputide_status examine(const char* manifest, const gputide_observation* seen) {
        return gputide_doctor(manifest, GPUTIDE_TEXT, nullptr, seen, 5000, nullptr, &report.value, &lines.value, &err);
    }
    bool says(const owned_text& text, const char* part) const { return text.str().find(part) != std::string::npos; }

    gputide_error err = sized<gputide_error>();
    owned_text report, lines;
};

TEST_F(Doctor, AValueThatTheHostPushesIsJudged) {
    gputide_sample sample = sized<gputide_sample>();
    sample.state = GPUTIDE_SAMPLE_OK;
    sample.value = 42.5;
    auto seen = sized<gputide_observation>();
    seen.now_ms = 1795255200000;
    seen.current_replicas = 3;
    seen.samples = &sample;
    seen.sample_count = 1;
    seen.sample_size = sizeof sample;
    ASSERT_EQ(examine(pushed_manifest, &seen), GPUTIDE_OK) << err.message;
    EXPECT_TRUE(says(report, R"("verdict":"ok")")) << report.str();
    EXPECT_TRUE(says(report, "active: 42.5 > 2")) << report.str();
    EXPECT_TRUE(says(lines, "demo: no problem found: 3 -> 6 replicas; the metrics ask for 9")) << lines.str();
}

TEST_F(Doctor, AFailedStepIsNoFailedCall) {
    ASSERT_EQ(examine(stopped_server, nullptr), GPUTIDE_OK) << err.message;
    EXPECT_TRUE(says(report, R"("failed_step":"endpoint")")) << report.str();
    EXPECT_TRUE(says(report, "stays at 2 replicas (assumed current size: 2)")) << report.str();
    EXPECT_TRUE(says(lines, "FAILED  endpoint")) << lines.str();
}

TEST_F(Doctor, LinesAreForThoseWhoAsk) {
    ASSERT_EQ(
        gputide_doctor(pushed_manifest, GPUTIDE_TEXT, nullptr, nullptr, 5000, nullptr, &report.value, nullptr, &err),
        GPUTIDE_OK);
    EXPECT_TRUE(says(report, "nothing is requested"));
}

TEST_F(Doctor, AManifestThatCannotBeReadFailsTheCall) {
    EXPECT_EQ(examine(R"({"kind":"ScaledObject"})", nullptr), GPUTIDE_E_INVALID);
    EXPECT_EQ(report.value.data, nullptr);
    EXPECT_EQ(lines.value.data, nullptr);
}

TEST_F(Doctor, ACancelEndsIt) {
    gputide_cancel* stop = nullptr;
    ASSERT_EQ(gputide_cancel_new(&stop, &err), GPUTIDE_OK);
    gputide_cancel_fire(stop);
    EXPECT_EQ(gputide_doctor(stopped_server, GPUTIDE_TEXT, nullptr, nullptr, 5000, stop, &report.value, nullptr, &err),
              GPUTIDE_E_CANCELLED);
    gputide_cancel_free(stop);
}

}  // namespace
