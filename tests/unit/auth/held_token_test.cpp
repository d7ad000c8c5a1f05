// Tokens as files and programs hold them, and what both may not do.
#include "acquiring.hpp"
#include "auth/open.hpp"
#include "auth/token/claims.hpp"
#include "base/encode.hpp"

#include <cstdlib>

namespace gputide::auth {
namespace {

using test::expect_text;

constexpr std::int64_t held_now_s = 1'760'000'000;
const held_token_rule rule{"the text", 300, longest_life_s};

result<token> read_held(const std::string& text, const held_token_rule& by = rule) {
    return read_held_token(secret_text(text), {held_now_s * 1000, 5'000}, by);
}
std::int64_t life_of(const std::string& text, const held_token_rule& by = rule) {
    const auto got = read_held(text, by);
    EXPECT_TRUE(got) << test::message_of(got);
    return got ? got->expires_at_ms / 1000 - held_now_s : 0;
}
std::string jwt(std::int64_t end_s) {
    return "eyJhbGciOiJub25lIn0." + base64url(R"({"exp":)" + std::to_string(end_s) + "}") + ".c2ln";
}

TEST(HeldToken, EveryShape) {
    EXPECT_EQ(read_held(" T \n")->value.reveal(), "T");
    EXPECT_EQ(life_of("T"), 300);
    EXPECT_EQ(life_of(jwt(held_now_s + 77)), 77);
    EXPECT_EQ(life_of(R"({"access_token":"T","expires_in":60})"), 60);
    EXPECT_EQ(life_of(R"({"access_token":"T","expires_in":"61","expires_on":5})"), 61);
    EXPECT_EQ(life_of(R"({"accessToken":"T","expires_on":1760000062,"expiresOn":"1999-01-01 00:00:00.000000"})"), 62);
    EXPECT_EQ(life_of(R"({"status":{"token":"T","expirationTimestamp":"2025-10-09T08:54:23Z"}})"), 63);
    EXPECT_EQ(life_of(R"({"status":{"token":")" + jwt(held_now_s + 64) + R"("}})"), 64);
    EXPECT_EQ(read_held(R"({"status":{"token":"S"}})")->value.reveal(), "S");
}

TEST(HeldToken, TheCommandLinesOwnTimeIsLocal) {
    const char* before = std::getenv("TZ");  // NOLINT(concurrency-mt-unsafe): one thread
    const std::string kept = before != nullptr ? before : "";
    ::setenv("TZ", "UTC-2", 1);  // two hours east
    ::tzset();
    EXPECT_EQ(life_of(R"({"accessToken":"T","expiresOn":"2025-10-09 10:54:25.123456"})"), 65);
    before != nullptr ? ::setenv("TZ", kept.c_str(), 1) : ::unsetenv("TZ");
    ::tzset();
}

TEST(HeldToken, WhatIsNoTokenIsNotQuoted) {
    for (const char* text : {"{\"error\":\"planted\"}", "{planted", "planted planted", "planted\nplanted", "{}"}) {
        const auto got = read_held(text);
        ASSERT_FALSE(got) << text;
        EXPECT_EQ(got.failure().message.find("planted"), std::string::npos) << got.failure().message;
    }
    EXPECT_EQ(read_held("a b").failure().status, status::security);
    EXPECT_EQ(read_held("{}").failure().error_class, error_class::protocol);
    EXPECT_TRUE(read_held("  ").failure().retryable);
    const auto dead = read_held(jwt(held_now_s - 90));
    ASSERT_FALSE(dead);
    EXPECT_TRUE(dead.failure().retryable);
    expect_text(dead.failure().message, {"the text", "expired 1m30s ago"});
}

class Bearer : public test::Acquiring {};

TEST_F(Bearer, AFileIsReadAnewAndSoon) {
    permissions.secrets_dir = "/run/secrets";
    const auto opened = open_bearer_file("gateway/token", permissions, host);
    ASSERT_TRUE(opened);
    const auto missing = acquire(**opened);
    EXPECT_EQ(missing.failure().error_class, error_class::config);
    EXPECT_TRUE(missing.failure().retryable);
    expect_text(missing.failure().message, {"/run/secrets/gateway/token"});
    host->files["/run/secrets/gateway/token"] = "first\n";
    const auto got = acquire(**opened);
    EXPECT_EQ(value_of(got), "first");
    EXPECT_EQ(got->expires_at_ms - got->issued_at_ms, 60'000);
    host->files["/run/secrets/gateway/token"] = jwt(loop->wall_ms() / 1000 + 3'600);
    EXPECT_EQ(acquire(**opened)->expires_at_ms - loop->wall_ms(), 60'000) << "whatever it says of itself";
}

TEST_F(Bearer, AFileStaysInTheHostsFolder) {
    expect_text(test::message_of(open_bearer_file("token", permissions, host)), {"--secrets-dir", "secrets_dir"});
    permissions.secrets_dir = "/run/secrets";
    EXPECT_TRUE(open_bearer_file("/run/secrets/a", permissions, host));
    for (const char* path : {"/etc/passwd", "/run/secretsother/a", "../etc/passwd", "a/../../b", "/run/secrets/../x"}) {
        expect_text(test::message_of(open_bearer_file(path, permissions, host)), {"is outside", "--secrets-dir"});
    }
    expect_text(test::message_of(open_bearer_file("", permissions, host)), {"tokenFile is missing"});
}

TEST_F(Bearer, AProgramIsRunOnlyWhereTheHostNamesIt) {
    host->programs["/opt/token"] = test::printed("P");
    expect_text(test::message_of(open_bearer_exec({"/opt/token"}, permissions, host)),
                {"\"/opt/token\" is not run", "allowed_programs", "--allow-program"});
    permissions.allowed_programs = {"/opt/token"};
    expect_text(test::message_of(open_bearer_exec({"token"}, permissions, host)), {"is not run"});
    expect_text(test::message_of(open_bearer_exec({}, permissions, host)), {"command is missing"});
    const auto opened = open_bearer_exec({"/opt/token", "--for", "{scope}"}, permissions, host);
    ASSERT_TRUE(opened);
    const auto got = acquire(**opened, "metrics");
    EXPECT_EQ(value_of(got), "P");
    EXPECT_EQ(got->expires_at_ms - got->issued_at_ms, 300'000);
    EXPECT_EQ(host->ran.at(0), (std::vector<std::string>{"/opt/token", "--for", "metrics"}));
}

TEST_F(Bearer, AProgramThatFails) {
    permissions.allowed_programs = {"/opt/token"};
    const auto opened = open_bearer_exec({"/opt/token"}, permissions, host);
    ASSERT_TRUE(opened);
    EXPECT_EQ(acquire(**opened).failure().error_class, error_class::unavailable);
    host->programs["/opt/token"] = {false, secret_text(std::string("planted")), "no key: eyJwbGFudGVk.eyJ.x\n",
                                    "exit status 3"};
    const auto got = acquire(**opened);
    EXPECT_EQ(got.failure().error_class, error_class::permanent);
    expect_text(got.failure().message, {"/opt/token ended with exit status 3: no key: ***"});
    EXPECT_EQ(got.failure().message.find("planted"), std::string::npos);
    host->programs["/opt/token"] = {false, {}, "", "never"};
    const std::int64_t before = loop->steady_ms();
    const auto late = acquire(**opened);
    EXPECT_EQ(late.failure().error_class, error_class::transient);
    expect_text(late.failure().message, {"timed out after 30s"});
    EXPECT_NEAR(static_cast<double>(loop->steady_ms() - before), 30'000, 40);
    expect_text(acquire(**opened, "s", loop->steady_ms() + 500).failure().message, {"timed out after 500ms"});
}

}  // namespace
}  // namespace gputide::auth
