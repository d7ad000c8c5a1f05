// Tests what an answer means for a writer to a cluster, by its code and not by its words.
#include "kubernetes/api/api.hpp"

#include "base/limits.hpp"
#include "kube/answer.hpp"
#include "kubernetes/watch/list.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace gputide::kubernetes {
namespace {

using testing::answered;
using testing::scripted;
using testing::status_body;

const endpoint asked_for = kube::lease_of("own", "gputide");

verdict verdict_on(std::int32_t code, const std::string& body) {
    return judge(answered(code, body), asked_for).verdict;
}

TEST(ApiAnswers, EachCodeHasItsSense) {
    EXPECT_EQ(verdict_on(200, "{}"), verdict::good);
    EXPECT_EQ(verdict_on(201, "{}"), verdict::good);
    const std::vector<std::pair<std::int32_t, verdict>> senses = {
        {400, verdict::refused},   {401, verdict::denied},  {403, verdict::denied},  {404, verdict::missing},
        {409, verdict::conflict},  {410, verdict::gone},    {422, verdict::refused}, {429, verdict::throttled},
        {503, verdict::throttled}, {500, verdict::unknown}, {504, verdict::unknown}, {405, verdict::failed},
    };
    for (const auto& [code, sense] : senses) {
        EXPECT_EQ(verdict_on(code, status_body(code, "Reason")), sense) << code;
        EXPECT_EQ(verdict_on(code, "some proxy's words"), sense) << code;
    }
}

TEST(ApiAnswers, WhatWasCutOffMayHaveHappened) {
    for (const http::fault cut : {http::fault::timeout, http::fault::deadline, http::fault::reset}) {
        EXPECT_EQ(judge(testing::scripted_fault(cut).what, asked_for).verdict, verdict::unknown);
    }
    EXPECT_EQ(judge(testing::scripted_fault(http::fault::connect).what, asked_for).verdict, verdict::failed);
}

TEST(ApiAnswers, RetryAfterIsTakenFromTheHeaderOfAText) {
    const reply got = judge(answered(429, "Too many requests", {{"Retry-After", "7"}}), asked_for);
    EXPECT_EQ(got.verdict, verdict::throttled);
    EXPECT_EQ(got.why.retry_after_ms, 7'000);
}

TEST(ApiAnswers, AYearOfRetryAfterIsAMinute) {
    for (const char* year : {"31536000", "99999999999999999999"}) {
        const reply got = judge(answered(429, status_body(429, "TooManyRequests"), {{"Retry-After", year}}), asked_for);
        EXPECT_EQ(requested_delay_ms(got.why), 60'000) << year;
    }
}

// The caller knows what a repeat would mean; the module repeats nothing by itself.
TEST(ApiRequests, AreSentOnce) {
    testing::api_world world;
    world.loop->answer_with([](const http::request&) { return scripted(503, "busy"); });
    int answers = 0;
    api_request request;
    request.target = asked_for;
    request.method = "PUT";
    request.body = "{}";
    world.api->send(request.target, always(request), [&](const reply&) { ++answers; });
    world.loop->run_until_idle();
    EXPECT_EQ(answers, 1);
    ASSERT_EQ(world.asked().size(), 1U);
    EXPECT_EQ(world.asked()[0], "PUT /apis/coordination.k8s.io/v1/namespaces/own/leases/gputide");
    const std::vector<http::header> headers = world.loop->requests()[0].what.headers;
    EXPECT_TRUE(std::any_of(headers.begin(), headers.end(), [](const http::header& header) {
        return header.name == "Content-Type" && header.value.reveal() == "application/json";
    }));
}

TEST(Api, WaitsForWhatIsMissingGrowToAMinute) {
    std::vector<std::int64_t> waits;
    for (std::int32_t failures = 1; failures <= 7; ++failures) waits.push_back(retry_delay_ms(failures));
    EXPECT_EQ(waits, (std::vector<std::int64_t>{5'000, 10'000, 20'000, 40'000, 60'000, 60'000, 60'000}));
}

// Tests which page of a list is asked for next.

class Paging : public ::testing::Test {
  protected:
    paging pages;

    std::string asked() const { return pages.request({}).target.query; }
    void fail(int times) {
        for (int i = 0; i < times; ++i) EXPECT_TRUE(pages.page_did_not_fit());
    }
};

TEST_F(Paging, GrowsOnlyWhereTwiceAsMuchFits) {
    fail(5);
    EXPECT_EQ(asked(), "?limit=7");
    pages.page_came("a b", limits::response_bytes / 2 + 1);
    EXPECT_EQ(asked(), "?limit=7&continue=a%20b");
    for (const char* const expected :
         {"?limit=14&continue=t", "?limit=28&continue=t", "?limit=56&continue=t", "?limit=112&continue=t",
          "?limit=224&continue=t", "?limit=250&continue=t", "?limit=250&continue=t"}) {
        pages.page_came("t", limits::response_bytes / 2);
        EXPECT_EQ(asked(), expected);
    }
}

TEST_F(Paging, TheNextListBeginsAsSmall) {
    fail(3);
    pages.page_came("t", limits::response_bytes);
    pages.restart();
    EXPECT_TRUE(pages.is_first());
    EXPECT_EQ(asked(), "?limit=31");
}

TEST_F(Paging, MetadataAloneIsTheLeast) {
    EXPECT_EQ(pages.request({}).accept, "application/json");
    fail(8);
    EXPECT_TRUE(pages.is_metadata_only());
    EXPECT_EQ(asked(), "?limit=1");
    EXPECT_EQ(pages.request({}).accept, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    EXPECT_FALSE(pages.page_did_not_fit());
    EXPECT_TRUE(pages.is_metadata_only());
    pages.page_came("t", 100);
    EXPECT_EQ(pages.request({}).accept, "application/json");
    EXPECT_EQ(asked(), "?limit=2&continue=t");
}

TEST_F(Paging, AWholeListThatDoesNotFitBeginsAgainInPages) {
    pages.page_came("t", 100);
    pages.take_whole();
    EXPECT_EQ(asked(), "");
    EXPECT_TRUE(pages.is_first());
    EXPECT_FALSE(pages.page_did_not_fit());
    EXPECT_EQ(asked(), "?limit=250");
}

}  // namespace

}  // namespace gputide::kubernetes
