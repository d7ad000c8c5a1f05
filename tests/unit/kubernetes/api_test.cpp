// Tests what an answer means for a writer to a cluster, by its code and not by its words.
#include "kubernetes/api/api.hpp"

#include "kube/objects.hpp"
#include "support.hpp"

#include <algorithm>

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

}  // namespace
}  // namespace gputide::kubernetes
