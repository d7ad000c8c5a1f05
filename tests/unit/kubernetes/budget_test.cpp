// Tests which request to the API server is sent next, and how many are under way.
#include "kubernetes/api/budget.hpp"

#include "kube/objects.hpp"
#include "kubernetes/api/resources.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gputide::kubernetes {
namespace {

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
