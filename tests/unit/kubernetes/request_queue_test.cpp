// Which request to the API server is sent next, how many are in progress, and requests that wait for a place.
#include "kube/answer.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/resources.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <new>
#include <vector>

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

// Tests which request to the API server is sent next, and how many are in progress.

constexpr std::int64_t early_ms = 1'000, later_ms = 10'000;

// Sends what may be sent now; the tickets in the order in which they are sent.
std::vector<request_budget::ticket> send_all(request_budget& budget, std::int64_t at_ms = early_ms) {
    std::vector<request_budget::ticket> out;
    while (const auto next = budget.next(at_ms)) {
        budget.begin(*next);
        budget.ends_until(*next, later_ms);
        out.push_back(*next);
    }
    return out;
}

kube::endpoint listed(kube::endpoint collection) {
    collection.verb = "list";
    return collection;
}

TEST(Lanes, FollowFromResourceAndVerb) {
    const object_key key{"ml", "llm"};
    const resource deployments = known_resource("apps", "v1", "deployments"),
                   jobs = known_resource("batch", "v1", "jobs"), secrets = known_resource("", "v1", "secrets"),
                   pods = known_resource("", "v1", "pods");
    EXPECT_EQ(lane_of(kube::lease_of("own", "gputide")), lane::lease);
    EXPECT_EQ(lane_of(deployments.scale(key, "update")), lane::write);
    EXPECT_EQ(lane_of(deployments.scale(key, "get")), lane::size);
    EXPECT_EQ(lane_of(kedas("scaledjobs").object(key, "patch", "status")), lane::status);
    EXPECT_EQ(lane_of(secrets.object(key, "get")), lane::text);
    EXPECT_EQ(lane_of(known_resource("", "v1", "configmaps").object(key, "get")), lane::text);
    EXPECT_EQ(lane_of(jobs.object(key, "delete")), lane::job);
    EXPECT_EQ(lane_of(known_resource("", "v1", "events").object(key, "patch")), lane::event);
    EXPECT_EQ(lane_of(listed(jobs.collection("ml"))), lane::list);
    EXPECT_EQ(lane_of(listed(pods.collection({}))), lane::list);
    EXPECT_EQ(lane_of(kedas("scaledobjects").object(key, "patch")), lane::rest);
    EXPECT_EQ(tenant_of(secrets.object(key, "get")), "ml");
    EXPECT_EQ(tenant_of(jobs.collection("ml")), "ml");
    EXPECT_EQ(tenant_of(pods.collection({})), "");
}

TEST(Budget, OneNamespaceHasHalfOfTheLane) {
    request_budget budget;
    for (int i = 0; i < 100; ++i) budget.add(lane::text, "ml");
    EXPECT_EQ(send_all(budget).size(), 4U);
    const auto another = budget.add(lane::text, "web");
    EXPECT_EQ(send_all(budget), std::vector{another});
    for (int i = 0; i < 100; ++i) budget.add(lane::text, "web");
    EXPECT_EQ(send_all(budget).size(), 3U);
    EXPECT_EQ(budget.under_way(lane::text), max_under_way(lane::text));
    EXPECT_EQ(budget.waiting(), 193U);
}

TEST(Budget, WhatHasNoNamespaceHasTheWholeLane) {
    request_budget budget;
    for (int i = 0; i < 100; ++i) budget.add(lane::list, "");
    EXPECT_EQ(send_all(budget).size(), max_under_way(lane::list));
}

TEST(Budget, NamespacesTakeTurns) {
    request_budget budget;
    std::vector<request_budget::ticket> of_ml, of_web;
    for (int i = 0; i < 20; ++i) of_ml.push_back(budget.add(lane::event, "ml"));
    for (int i = 0; i < 20; ++i) of_web.push_back(budget.add(lane::event, "web"));
    EXPECT_EQ(send_all(budget), (std::vector{of_ml[0], of_web[0], of_ml[1], of_web[1]}));
    budget.end(of_web[1]);
    budget.end(of_ml[0]);
    EXPECT_EQ(send_all(budget), (std::vector{of_ml[2], of_web[2]}));
}

TEST(Budget, NoLaneWaitsForAnother) {
    request_budget budget;
    std::vector<request_budget::ticket> last;
    for (std::size_t which = lane_count; which-- > 0;) {
        for (int i = 0; i < 100; ++i) budget.add(static_cast<lane>(which), "ml");
    }
    const auto sent = send_all(budget);
    for (std::size_t which = 1; which < lane_count; ++which) {
        EXPECT_EQ(budget.under_way(static_cast<lane>(which)), max_of_tenant(static_cast<lane>(which), true));
    }
    EXPECT_EQ(budget.under_way(lane::lease), 100U);
    EXPECT_EQ(sent.front(), 100 * (lane_count - 1) + 1) << "the Lease was asked for last and goes first";
}

TEST(Budget, WhatDoesNotWaitAnyMoreIsNotSent) {
    request_budget budget;
    const auto first = budget.add(lane::text, "ml"), second = budget.add(lane::text, "ml");
    budget.end(first);
    budget.end(first);
    EXPECT_EQ(send_all(budget), std::vector{second});
    budget.end(second);
    EXPECT_EQ(budget.under_way(lane::text), 0U);
    EXPECT_EQ(budget.waiting(), 0U);
}

TEST(Budget, WhatCouldNotBeSentKeepsItsPlace) {
    request_budget budget;
    const auto first = budget.add(lane::text, "ml"), second = budget.add(lane::text, "ml");
    const auto next = budget.next(early_ms);
    ASSERT_EQ(next, first);
    budget.begin(*next);
    budget.put_back(*next);
    EXPECT_EQ(budget.under_way(lane::text), 0U);
    EXPECT_EQ(send_all(budget), (std::vector{first, second}));
}

TEST(Budget, AnEndThatNeverCameGivesThePlaceBack) {
    request_budget budget;
    for (int i = 0; i < 6; ++i) budget.add(lane::text, "ml");
    EXPECT_EQ(send_all(budget).size(), 4U);
    EXPECT_TRUE(send_all(budget, later_ms - 1).empty());
    EXPECT_EQ(send_all(budget, later_ms).size(), 2U);
}

}  // namespace
}  // namespace gputide::kubernetes
