// The client credentials grant over real connections: a token server on loopback.
#include "auth/oauth/client_credentials.hpp"
#include "http/client.hpp"
#include "support/fault_server.hpp"
#include "support/texts.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>

namespace gputide::auth {
namespace {

using gputide::testing::answering;
using gputide::testing::fault_server;
using gputide::testing::holds;
using gputide::testing::plain_answer;

constexpr std::int64_t max_token_wait_ms = 20'000;

result<token> acquire_from(const std::string& url) {
    const auto client = http::client::open({});
    if (!client) return client.failure();
    client_credentials_settings wanted;
    wanted.token_url = secret_text(url);
    wanted.client_id = secret_text(std::string("id"));
    wanted.client_secret = secret_text(std::string("hunter2"));
    const auto opened = open_client_credentials(wanted, {});
    if (!opened) return opened.failure();
    std::optional<result<token>> got;
    std::atomic<bool> is_over{false};
    const std::int64_t deadline_ms = (*client)->steady_ms() + max_token_wait_ms;
    (*opened)->acquire(**client, "", deadline_ms, [&](result<token> outcome) {
        got = std::move(outcome);
        is_over = true;
    });
    (*client)->drive([&] { return is_over.load(); }, deadline_ms + 5'000);
    if (!got) return fail(status::timeout, "no callback");
    return *std::move(got);
}

TEST(ClientCredentialsOverLoopback, AServerThatWantsTheSecretInTheForm) {
    fault_server server(answering([](const std::string& request) {
        if (holds(request, "Authorization: Basic aWQ6aHVudGVyMg==\r\n"))
            return plain_answer(R"({"error":"invalid_client"})", "401 Unauthorized");
        if (!holds(request, "POST /token?a=b HTTP/1.1\r\n") || !holds(request, "client_secret=hunter2"))
            return plain_answer("", "400 Bad Request");
        return plain_answer(R"({"access_token":"T1","expires_in":3600})", "200 OK",
                            "Content-Type: application/json\r\n");
    }));
    const auto got = acquire_from(server.url("/token?a=b"));
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->value.reveal(), "T1");
    EXPECT_EQ(server.requests(), 2);
}

TEST(ClientCredentialsOverLoopback, TheSecretDoesNotFollowARedirect) {
    fault_server other(answering([](const std::string&) { return plain_answer(R"({"access_token":"stolen"})"); }));
    fault_server server(answering([&other](const std::string&) {
        return plain_answer("", "307 Temporary Redirect", "Location: " + other.url("/token") + "\r\n");
    }));
    const auto got = acquire_from(server.url("/token"));
    ASSERT_FALSE(got);
    EXPECT_TRUE(holds(got.failure().message, "a redirect; it was not followed")) << got.failure().message;
    EXPECT_EQ(other.requests(), 0);
}

}  // namespace
}  // namespace gputide::auth
