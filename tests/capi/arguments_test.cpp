// Every function with NULL and impossible arguments: a status and a text that names the argument, never a crash.  What the host program
// allows: each by its name, and nothing that it did not say.

#include "support.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {

void expect_invalid(gputide_status got, const gputide_error& err, const char* names) {
    EXPECT_EQ(got, GPUTIDE_E_INVALID);
    EXPECT_NE(std::string(err.message).find(names), std::string::npos) << err.message;
}

TEST(Arguments, NullOutputsAreRefused) {
    auto err = sized<gputide_error>();
    expect_invalid(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, nullptr, nullptr, &err), err, "out");
    expect_invalid(gputide_scaler_open(pushed_manifest, GPUTIDE_TEXT, nullptr, nullptr, &err), err, "out");
    expect_invalid(gputide_source_open(prometheus_trigger, GPUTIDE_TEXT, nullptr, nullptr, &err), err, "out");
    expect_invalid(gputide_credential_open("provider: azure-workload", GPUTIDE_TEXT, nullptr, nullptr, &err), err,
                   "out");
    expect_invalid(gputide_cancel_new(nullptr, &err), err, "out");
    expect_invalid(gputide_log_open(GPUTIDE_LOG_INFO, nullptr, &err), err, "out");
    std::int64_t* no_milli = nullptr;
    expect_invalid(gputide_quantity("1", GPUTIDE_TEXT, no_milli, &err), err, "milli");
    expect_invalid(gputide_report_render("{}", GPUTIDE_TEXT, nullptr, &err), err, "lines");
    expect_invalid(gputide_manifest_check(pushed_manifest, GPUTIDE_TEXT, nullptr, nullptr, nullptr, &err), err,
                   "report");
}

TEST(Arguments, AManifestBeyondALimitIsNoWrongManifest) {
    auto err = sized<gputide_error>();
    gputide_policy* policy = nullptr;
    owned_text report;
    const std::string long_one(std::size_t{1} << 20, '#');
    const std::string too_long = long_one + '#' + pushed_manifest;
    const std::string too_deep = std::string(100, '[') + std::string(100, ']');
    for (const std::string& text : {too_long, too_deep}) {
        EXPECT_EQ(gputide_policy_open(text.data(), static_cast<std::int64_t>(text.size()), nullptr, &policy, &err),
                  GPUTIDE_E_LIMIT)
            << err.message;
        EXPECT_EQ(gputide_manifest_check(text.data(), static_cast<std::int64_t>(text.size()), nullptr, &report.value,
                                         nullptr, &err),
                  GPUTIDE_E_LIMIT);
        EXPECT_NE(report.str().find("\"errors\":1"), std::string::npos) << report.str();
    }
    EXPECT_EQ(gputide_policy_open("a: [", GPUTIDE_TEXT, nullptr, &policy, &err), GPUTIDE_E_INVALID);
}

TEST(Arguments, NullHandlesAreRefused) {
    auto err = sized<gputide_error>();
    auto seen = sized<gputide_observation>();
    auto next = sized<gputide_decision>();
    auto entry = sized<gputide_sample>();
    owned_text text;
    gputide_state* state = nullptr;
    const double number = 1.0;
    expect_invalid(gputide_decide(nullptr, nullptr, &seen, &next, nullptr, &err), err, "policy");
    expect_invalid(gputide_decide_values(nullptr, nullptr, start_ms, 1, &number, 1, &next, &err), err, "policy");
    expect_invalid(gputide_log_next(nullptr, 0, nullptr, &text.value, nullptr, &err), err, "reader");
    expect_invalid(gputide_source_parse_all(nullptr, 200, nullptr, 0, "", 0, &text.value, &err), err, "source");
    expect_invalid(gputide_policy_describe(nullptr, &text.value, &err), err, "policy");
    expect_invalid(gputide_state_new(nullptr, 0, &state, &err), err, "policy");
    expect_invalid(gputide_state_save(nullptr, nullptr, &text.value, &err), err, "policy");
    expect_invalid(gputide_state_load(nullptr, "", 0, 0, &state, &err), err, "policy");
    expect_invalid(gputide_state_record(nullptr, nullptr, &next, 1, 0, &err), err, "policy");
    expect_invalid(gputide_source_fetch(nullptr, 0, 1, nullptr, &entry, &err), err, "source");
    expect_invalid(gputide_source_fetch_all(nullptr, 0, 1, nullptr, &text.value, &err), err, "source");
    expect_invalid(gputide_source_request(nullptr, 0, &text.value, &err), err, "source");
    expect_invalid(gputide_source_parse(nullptr, 200, "", 0, &entry, &err), err, "source");
    expect_invalid(gputide_credential_token(nullptr, "s", 1, nullptr, &text.value, nullptr, &err), err, "credential");
    expect_invalid(gputide_credential_invalidate(nullptr, "s", "t", 1, &err), err, "credential");
    expect_invalid(gputide_scaler_tick(nullptr, &seen, 1, nullptr, &next, nullptr, &err), err, "scaler");
    expect_invalid(gputide_scaler_record(nullptr, &next, 1, 0, &err), err, "scaler");
    expect_invalid(gputide_scaler_describe(nullptr, &text.value, &err), err, "scaler");
    expect_invalid(gputide_scaler_save(nullptr, &text.value, &err), err, "scaler");
    expect_invalid(gputide_scaler_load(nullptr, "", 0, &err), err, "scaler");
    expect_invalid(gputide_doctor("", 0, nullptr, nullptr, 1, nullptr, nullptr, nullptr, &err), err, "report");
    expect_invalid(gputide_doctor(nullptr, 1, nullptr, nullptr, 1, nullptr, &text.value, nullptr, &err), err, "text");
    expect_invalid(gputide_cluster_doctor("", 0, nullptr, 1, nullptr, nullptr, nullptr, &err), err, "report");
}

TEST(Arguments, FreeingNothingDoesNothing) {
    gputide_text_free(nullptr);
    gputide_cancel_free(nullptr);
    gputide_cancel_fire(nullptr);
    gputide_credential_free(nullptr);
    gputide_source_free(nullptr);
    gputide_policy_free(nullptr);
    gputide_state_free(nullptr);
    gputide_scaler_free(nullptr);
    gputide_log_free(nullptr);
    gputide_log_close(nullptr);
    gputide_series_free(nullptr);
    gputide_replay_free(nullptr);
    gputide_runtime_free(nullptr);
    EXPECT_EQ(gputide_policy_metric_name(nullptr, 0), nullptr);
    EXPECT_EQ(gputide_policy_metric_count(nullptr), 0U);
}

TEST(Arguments, TheErrorIsOptional) {
    gputide_policy* policy = nullptr;
    EXPECT_EQ(gputide_policy_open(nullptr, GPUTIDE_TEXT, nullptr, &policy, nullptr), GPUTIDE_E_INVALID);
    auto unsized_error = gputide_error{};
    EXPECT_EQ(gputide_policy_open("[", GPUTIDE_TEXT, nullptr, &policy, &unsized_error), GPUTIDE_E_INVALID);
    EXPECT_EQ(unsized_error.status, 0);  // no struct_size: nothing may be written
    EXPECT_EQ(policy, nullptr);
}

TEST(Arguments, StructsNeedTheirSize) {
    auto err = sized<gputide_error>();
    gputide_policy* policy = nullptr;
    gputide_options no_size{};
    expect_invalid(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, &no_size, &policy, &err), err, "struct_size");
    auto unknown_flag = sized<gputide_options>();
    unknown_flag.flags = 1U << 31;
    EXPECT_EQ(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, &unknown_flag, &policy, &err), GPUTIDE_E_TOO_NEW);
    auto files = sized<gputide_options>();
    files.file_count = 1;
    expect_invalid(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, &files, &policy, &err), err, "files");
    expect_invalid(gputide_policy_open(pushed_manifest, -7, nullptr, &policy, &err), err, "size");
}

TEST(Arguments, NumbersHaveNames) {
    EXPECT_STREQ(gputide_status_name(GPUTIDE_E_AMBIGUOUS), "E_AMBIGUOUS");
    EXPECT_STREQ(gputide_status_name(-1), "E_UNKNOWN");
    EXPECT_STREQ(gputide_limit_name(GPUTIDE_LIMIT_SCALE_UP), "scale_up_limit");
    EXPECT_STREQ(gputide_limit_name(-5), "unknown");
    EXPECT_STREQ(gputide_limit_name(99), "unknown");
    EXPECT_STREQ(gputide_condition_name(GPUTIDE_SCALING_LIMITED), "ScalingLimited");
    EXPECT_STREQ(gputide_condition_name(99), "unknown");
    EXPECT_STREQ(gputide_reason_name(99), "unknown");
    EXPECT_STREQ(gputide_reason_name(0), "");
    EXPECT_STREQ(gputide_event_name(GPUTIDE_DEACTIVATED), "KEDAScaleTargetDeactivated");
    EXPECT_STREQ(gputide_event_name(GPUTIDE_NO_SCALE_EVENT), "");
    EXPECT_STREQ(gputide_event_name(-1), "unknown");
    EXPECT_STREQ(gputide_sample_state_name(GPUTIDE_SAMPLE_NOT_GIVEN), "not_given");
    EXPECT_STREQ(gputide_sample_state_name(GPUTIDE_SAMPLE_FAILED), "failed");
    EXPECT_STREQ(gputide_sample_state_name(10), "unknown");
    EXPECT_STREQ(gputide_action_name(GPUTIDE_ACTION_GRANT_ROLE), "grant_role");
    EXPECT_STREQ(gputide_action_name(-3), "unknown");
    EXPECT_STREQ(gputide_status_name(GPUTIDE_E_NOT_FOUND), "E_NOT_FOUND");
}

TEST(Arguments, TheTableServesOneAbi) {
    auto err = sized<gputide_error>();
    const gputide_api_table* api = gputide_api(GPUTIDE_ABI_VERSION, &err);
    ASSERT_NE(api, nullptr);
    EXPECT_EQ(api->struct_size, sizeof(gputide_api_table));
    EXPECT_STREQ(api->version(), gputide_version());
    ASSERT_NE(gputide_plan_api(GPUTIDE_ABI_VERSION, &err), nullptr);
    EXPECT_EQ(gputide_plan_api(GPUTIDE_ABI_VERSION, &err)->struct_size, sizeof(gputide_plan_api_table));
    EXPECT_EQ(gputide_kubernetes_api(GPUTIDE_ABI_VERSION, &err)->struct_size, sizeof(gputide_kubernetes_api_table));
    EXPECT_EQ(gputide_plan_api(7, &err), nullptr);
    EXPECT_EQ(gputide_kubernetes_api(7, &err), nullptr);
    EXPECT_EQ(gputide_api(7, &err), nullptr);
    EXPECT_EQ(err.status, GPUTIDE_E_TOO_NEW);
    EXPECT_NE(std::string(err.message).find("ABI 7"), std::string::npos);
}

// Tests what the host program allows: each by its name, and nothing that it did not say.

constexpr char named_manifest[] = R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject",
    "metadata":{"name":"${GPUTIDE_TEST_NAME}"},"spec":{"scaleTargetRef":{"name":"demo"},
    "triggers":[{"type":"values","metadata":{"threshold":"5"}}]}})";

constexpr char unverified_trigger[] = R"({"type":"prometheus","metadata":{"serverAddress":"https://127.0.0.1:1",
    "query":"up","threshold":"5","unsafeSsl":"true","customHeaders":"Authorization=secret"}})";

gputide_status open_named(const gputide_options& options, gputide_error& err) {
    gputide_policy* policy = nullptr;
    const gputide_status status = gputide_policy_open(named_manifest, GPUTIDE_TEXT, &options, &policy, &err);
    gputide_policy_free(policy);
    return status;
}

TEST(Options, TheEnvironmentIsReadByName) {
    ASSERT_EQ(setenv("GPUTIDE_TEST_NAME", "demo", 1), 0);
    auto err = sized<gputide_error>();
    auto options = sized<gputide_options>();
    EXPECT_EQ(open_named(options, err), GPUTIDE_E_INVALID);
    for (const char* other : {"GPUTIDE_TEST", "GPUTIDE_TEST_NAMES, OTHER_*", "gputide_test_name"}) {
        options.allowed_environment = other;
        EXPECT_EQ(open_named(options, err), GPUTIDE_E_INVALID) << other;
        const std::string message = err.message;
        EXPECT_NE(message.find("this program does not allow it"), std::string::npos) << message;
        EXPECT_NE(message.find("gputide_options.allowed_environment"), std::string::npos) << message;
        EXPECT_EQ(message.find("is not set"), std::string::npos) << message;
    }
    options.allowed_environment = "GPUTIDE_*";
    ASSERT_EQ(unsetenv("GPUTIDE_TEST_NAME"), 0);
    EXPECT_EQ(open_named(options, err), GPUTIDE_E_INVALID);
    EXPECT_NE(std::string(err.message).find("is not set"), std::string::npos) << err.message;
    ASSERT_EQ(setenv("GPUTIDE_TEST_NAME", "demo", 1), 0);
    for (const char* named : {"GPUTIDE_TEST_NAME", "A, GPUTIDE_TEST_NAME", "GPUTIDE_*", "*"}) {
        options.allowed_environment = named;
        EXPECT_EQ(open_named(options, err), GPUTIDE_OK) << named << ": " << err.message;
    }
    options.allowed_environment = nullptr;
    options.flags = GPUTIDE_ALLOW_ENVIRONMENT;
    EXPECT_EQ(open_named(options, err), GPUTIDE_OK) << err.message;
}

TEST(Options, ACredentialStaysAtHomeWhereThePeerIsNotVerified) {
    auto err = sized<gputide_error>();
    auto entry = sized<gputide_sample>();
    for (const bool asked : {false, true}) {
        auto options = sized<gputide_options>();
        options.flags = asked ? std::uint32_t{GPUTIDE_VERIFIED_PEERS} : 0U;
        gputide_source* source = nullptr;
        ASSERT_EQ(gputide_source_open(unverified_trigger, GPUTIDE_TEXT, &options, &source, &err), GPUTIDE_OK)
            << err.message;
        const gputide_status status = gputide_source_fetch(source, start_ms, 2000, nullptr, &entry, &err);
        EXPECT_EQ(status, asked ? GPUTIDE_E_SECURITY : GPUTIDE_E_UNAVAILABLE) << err.message;
        EXPECT_EQ(entry.status, status);
        gputide_source_free(source);
    }
}

TEST(Options, WhatCannotBeMeantIsRefused) {
    auto err = sized<gputide_error>();
    auto options = sized<gputide_options>();
    options.flags = GPUTIDE_ALLOW_ENVIRONMENT;
    options.proxy = "proxy:3128";
    EXPECT_EQ(open_named(options, err), GPUTIDE_E_INVALID);
    EXPECT_NE(std::string(err.message).find("options.proxy"), std::string::npos) << err.message;
    options.proxy = "environment";
    options.user_agent = "host/7\r\nX: y";
    EXPECT_EQ(open_named(options, err), GPUTIDE_E_INVALID);
    EXPECT_NE(std::string(err.message).find("options.user_agent"), std::string::npos) << err.message;
    options.user_agent = "host/7";
    options.ca_pem = "x";
    options.ca_pem_bytes = -7;
    EXPECT_EQ(open_named(options, err), GPUTIDE_E_INVALID);
    EXPECT_NE(std::string(err.message).find("options.ca_pem"), std::string::npos) << err.message;
}

}  // namespace
