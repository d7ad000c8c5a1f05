// A time in seconds where milliseconds belong: every function that takes a time refuses it and says why.
#include "support.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace {

constexpr std::int64_t in_seconds = 1764090000;  // 2025-11-25T17:00:00Z

class Seconds : public ::testing::Test {
  protected:
    Seconds() {
        EXPECT_EQ(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &policy, nullptr), GPUTIDE_OK);
        EXPECT_EQ(gputide_state_new(policy, 0, &state, nullptr), GPUTIDE_OK);
        EXPECT_EQ(gputide_scaler_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &scaler, nullptr), GPUTIDE_OK);
        EXPECT_EQ(gputide_source_open(prometheus_trigger, GPUTIDE_TEXT, nullptr, &source, nullptr), GPUTIDE_OK);
        EXPECT_EQ(gputide_runtime_new(nullptr, &runtime, nullptr), GPUTIDE_OK);
        EXPECT_EQ(gputide_series_new(&series, nullptr), GPUTIDE_OK);
    }
    ~Seconds() override {
        gputide_policy_free(policy);
        gputide_state_free(state);
        gputide_scaler_free(scaler);
        gputide_source_free(source);
        gputide_runtime_free(runtime);
        gputide_series_free(series);
    }

    gputide_status decide(const gputide_observation& seen) {
        auto out = sized<gputide_decision>();
        return gputide_decide(policy, state, &seen, &out, nullptr, &err);
    }

    gputide_policy* policy = nullptr;
    gputide_state* state = nullptr;
    gputide_scaler* scaler = nullptr;
    gputide_source* source = nullptr;
    gputide_runtime* runtime = nullptr;
    gputide_series* series = nullptr;
    gputide_error err = sized<gputide_error>();
};

TEST_F(Seconds, AreRefusedByEveryFunctionThatTakesATime) {
    gputide_sample number = sample_of(42.5);
    auto decision = sized<gputide_decision>();
    owned_text text;
    const double value = 42.5;
    const std::int32_t replicas = 3;
    const std::map<std::string, std::function<gputide_status(std::int64_t)>> calls{
        {"decide_values",
         [&](std::int64_t at) { return gputide_decide_values(policy, state, at, 3, &value, 1, &decision, &err); }},
        {"decide", [&](std::int64_t at) { return decide(seen_of(number, 3, at)); }},
        {"decide, of a sample",
         [&](std::int64_t at) {
             number.time_ms = at;
             return decide(seen_of(number, 3));
         }},
        {"decide, of a pod's start",
         [&](std::int64_t at) {
             gputide_pod pod{};
             pod.phase = GPUTIDE_POD_RUNNING;
             pod.ready = GPUTIDE_READY_YES;
             pod.start_time_ms = at;
             gputide_observation seen = seen_of(number, 3);
             seen.pods = &pod;
             seen.pod_count = 1;
             seen.pod_size = sizeof pod;
             return decide(seen);
         }},
        {"state_new",
         [&](std::int64_t at) {
             gputide_state* made = nullptr;
             const gputide_status status = gputide_state_new(policy, at, &made, &err);
             gputide_state_free(made);
             return status;
         }},
        {"state_record", [&](std::int64_t at) { return gputide_state_record(policy, state, &decision, 1, at, &err); }},
        {"source_request", [&](std::int64_t at) { return gputide_source_request(source, at, &text.value, &err); }},
        {"source_fetch",
         [&](std::int64_t at) { return gputide_source_fetch(source, at, 1'000, nullptr, &number, &err); }},
        {"scaler_tick",
         [&](std::int64_t at) {
             auto seen = seen_of(number, 3, at);
             return gputide_scaler_tick(scaler, &seen, 1'000, nullptr, &decision, nullptr, &err);
         }},
        {"scaler_record", [&](std::int64_t at) { return gputide_scaler_record(scaler, &decision, 1, at, &err); }},
        {"runtime_step", [&](std::int64_t at) { return gputide_runtime_step(runtime, at, nullptr, &err); }},
        {"runtime_record", [&](std::int64_t at) { return gputide_runtime_record(runtime, 1, &decision, 1, at, &err); }},
        {"series_add", [&](std::int64_t at) { return gputide_series_add(series, 0, &at, &value, 1, &err); }},
        {"series_add_replicas",
         [&](std::int64_t at) { return gputide_series_add_replicas(series, &at, &replicas, 1, &err); }},
    };
    for (const auto& [name, call] : calls) {
        number = sample_of(42.5);
        err = sized<gputide_error>();
        EXPECT_EQ(call(in_seconds), GPUTIDE_E_INVALID) << name;
        const std::string message = err.message;
        EXPECT_NE(message.find("1764090000 is in 1970: "), std::string::npos) << name << ": " << message;
        EXPECT_NE(message.find("is in milliseconds; write 1764090000000 if"), std::string::npos) << message;
    }
}

TEST_F(Seconds, AClockThatStartsAtZeroIsTakenAsItIs) {
    auto decision = sized<gputide_decision>();
    const double value = 42.5;
    for (const std::int64_t at : {std::int64_t{1}, std::int64_t{86'400'000}, std::int64_t{1'599'999'999},
                                  std::int64_t{2'500'000'000}, in_seconds * 1'000}) {
        EXPECT_EQ(gputide_decide_values(policy, state, at, 3, &value, 1, &decision, &err), GPUTIDE_OK) << at;
    }
}

}  // namespace
