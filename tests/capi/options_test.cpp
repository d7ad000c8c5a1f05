// Tests what the host program allows: each by its name, and nothing that it did not say.
#include "support.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {

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
