// Requests that wait for a place, over a scripted loop.
#include "kube/objects.hpp"
#include "kubernetes/api/resources.hpp"
#include "support.hpp"

#include <new>

namespace gputide::kubernetes {
namespace {

using testing::scripted;

constexpr std::int64_t reply_ms = 100;

api_request secret(const std::string& name, const std::string& name_space = "ml") {
    api_request out;
    out.target = known_resource("", "v1", "secrets").object({name_space, name}, "get");
    return out;
}

api_request scale_write() {
    api_request out;
    out.target = known_resource("apps", "v1", "deployments").scale({"ml", "llm"}, "update");
    out.method = "PUT";
    out.body = "{}";
    out.timeout_ms = 1'000;
    return out;
}

// Each answer takes reply_ms.
struct Requests : ::testing::Test {
    void SetUp() override {
        world.loop->answer_with([this](const http::request&) {
            if (std::exchange(lacks_memory, false)) throw std::bad_alloc();
            auto out = scripted(200, "{}");
            out.delay_ms = reply_ms;
            return out;
        });
    }
    void send(const api_request& request) { send(request.target, always(request)); }
    void send(const endpoint& target, request_maker make) {
        world.api->send(target, std::move(make), [this](const reply& reply) { verdicts.push_back(reply.verdict); });
    }
    std::size_t sent() const { return world.loop->requests().size(); }

    testing::api_world world;
    bool lacks_memory = false;
    std::vector<verdict> verdicts;
};

TEST_F(Requests, WaitForTheirTurnAndComeToTheirEnd) {
    for (int i = 0; i < 10; ++i) send(secret(std::to_string(i)));
    EXPECT_EQ(sent(), 4U);
    world.loop->advance(reply_ms);
    EXPECT_EQ(sent(), 8U);
    world.loop->run_until_idle();
    EXPECT_EQ(sent(), 10U);
    EXPECT_EQ(verdicts, std::vector(10, verdict::good));
    EXPECT_EQ(world.asked().back(), "GET /api/v1/namespaces/ml/secrets/9");
}

TEST_F(Requests, OfALeaseAndASizeDoNotWaitForSecrets) {
    for (int i = 0; i < 100; ++i) send(secret(std::to_string(i)));
    const std::size_t before = sent();
    api_request lease;
    lease.target = kube::lease_of("own", "gputide");
    send(lease);
    send(scale_write());
    EXPECT_EQ(sent(), before + 2);
}

TEST_F(Requests, OfAnotherNamespaceComeNext) {
    for (int i = 0; i < 100; ++i) send(secret(std::to_string(i)));
    send(secret("token", "web"));
    EXPECT_EQ(world.asked().back(), "GET /api/v1/namespaces/web/secrets/token");
}

TEST_F(Requests, InTimeEndInTheirTimeWhereverTheyWait) {
    for (std::size_t i = 0; i < max_of_tenant(lane::write, true); ++i) {
        api_request slow = scale_write();
        slow.timeout_ms = 60'000;
        send(slow);
    }
    api_request write = scale_write();
    write.timeout_ms = reply_ms + 50;
    send(write.target, world.api->in_time(write));
    write.timeout_ms = reply_ms;  // its turn comes as it ends
    send(write.target, world.api->in_time(write));
    const std::size_t before = sent();
    world.loop->run_until_idle();
    ASSERT_EQ(sent(), before + 1);
    EXPECT_EQ(world.loop->requests().back().what.attempt_timeout_ms, 50);
    EXPECT_EQ(std::count(verdicts.begin(), verdicts.end(), verdict::unsent), 1);
    send(scale_write());
    EXPECT_EQ(sent(), before + 2) << "the one that was late gave its place back";
}

TEST_F(Requests, ThatAreCanceledLeaveTheirPlaceToTheNext) {
    std::vector<std::shared_ptr<api_exchange>> requests;
    for (int i = 0; i < 6; ++i) {
        const api_request read = secret(std::to_string(i));
        requests.push_back(world.api->send(read.target, always(read), [](const reply&) { ADD_FAILURE(); }));
    }
    EXPECT_TRUE(requests[5]->is_pending(world.loop->steady_ms()));
    requests[4]->cancel();  // it waits
    requests[0]->cancel();  // it is under way
    EXPECT_FALSE(requests[4]->is_pending(world.loop->steady_ms()));
    EXPECT_EQ(sent(), 4U) << "many are canceled at a time, and what waits behind them as well";
    world.loop->advance(0);
    ASSERT_EQ(sent(), 5U);
    EXPECT_EQ(world.asked().back(), "GET /api/v1/namespaces/ml/secrets/5");
    for (const auto& each : requests) each->cancel();
    world.loop->run_until_idle();
    EXPECT_EQ(sent(), 5U);
}

TEST_F(Requests, ThatWaitAreDropped) {
    for (int i = 0; i < 10; ++i) send(secret(std::to_string(i)));
    world.api->drop_waiting();
    world.loop->run_until_idle();
    EXPECT_EQ(sent(), 4U);
    EXPECT_EQ(verdicts.size(), 4U);
}

TEST_F(Requests, AreMadeWhenTheirTurnHasCome) {
    for (int i = 0; i < 4; ++i) send(secret(std::to_string(i)));
    std::string name = "early";
    const endpoint lane = secret("x").target;
    send(lane, [&] { return std::optional(secret(name)); });
    send(lane, [] { return std::optional<api_request>(); });
    send(secret("last"));
    name = "late";
    world.loop->run_until_idle();
    ASSERT_EQ(sent(), 6U);
    EXPECT_EQ(std::count(verdicts.begin(), verdicts.end(), verdict::unsent), 1);
    EXPECT_EQ(verdicts.size(), 7U);
    EXPECT_EQ(world.asked()[4], "GET /api/v1/namespaces/ml/secrets/late");
    EXPECT_EQ(world.asked()[5], "GET /api/v1/namespaces/ml/secrets/last");
}

TEST_F(Requests, WhoseNamesLeadElsewhereAreNotSent) {
    for (const char* name : {"", ".", ".."}) send(secret(name));
    world.api->stream(
        known_resource("", "v1", "..").collection("ml"), 1'000, [](std::string_view) { ADD_FAILURE(); },
        [this](const reply& reply) { verdicts.push_back(reply.verdict); });
    world.loop->run_until_idle();
    EXPECT_EQ(sent(), 0U);
    EXPECT_EQ(verdicts, std::vector(4, verdict::refused));
}

// Within the call that asks for it nothing ends.
TEST_F(Requests, ThatAreNotMadeEndLaterAndGiveTheirPlaceBack) {
    for (int i = 0; i < 10; ++i) send(secret("x").target, [] { return std::optional<api_request>(); });
    EXPECT_TRUE(verdicts.empty());
    send(secret("last"));
    world.loop->run_until_idle();
    EXPECT_EQ(sent(), 1U);
    EXPECT_EQ(std::count(verdicts.begin(), verdicts.end(), verdict::unsent), 10);
}

TEST_F(Requests, ThatWaitArePendingHoweverLong) {
    for (int i = 0; i < 4; ++i) send(secret(std::to_string(i)));
    const api_request last = secret("last");
    const auto waits = world.api->send(last.target, always(last), [](const reply&) {});
    EXPECT_TRUE(waits->is_pending(world.loop->steady_ms() + 3'600'000));
    world.loop->run_until_idle();
    EXPECT_FALSE(waits->is_pending(world.loop->steady_ms()));
}

TEST_F(Requests, ThatFindNoMemoryAreAsIfNeverAskedFor) {
    lacks_memory = true;
    EXPECT_THROW(send(secret("a")), std::bad_alloc);
    world.loop->run_until_idle();
    EXPECT_TRUE(verdicts.empty());
    send(secret("b"));
    world.loop->run_until_idle();
    EXPECT_EQ(verdicts.size(), 1U);
}

TEST_F(Requests, ThatFindNoMemoryInTheirTurnGoOnWaiting) {
    for (int i = 0; i < 5; ++i) send(secret(std::to_string(i)));
    lacks_memory = true;
    EXPECT_THROW(world.loop->advance(reply_ms), std::bad_alloc);
    world.loop->run_until_idle();
    EXPECT_EQ(verdicts.size(), 5U);
}

}  // namespace
}  // namespace gputide::kubernetes
