// Tests what all bodies under way may hold together: small answers that inflate and stall.
#include "fetching.hpp"
#include "http/transfer/transfer.hpp"
#include "support/fault_server.hpp"

#include <vector>

namespace gputide::http {
namespace {

using testing::connection;
using testing::fault_server;
using testing::plain_answer;
using testing::zipped;

constexpr std::size_t large_bytes = std::size_t{15} << 20;

TEST(BodyBudget, CountsBeyondTheFreePartAndGivesBack) {
    const std::size_t most = limits::bodies_of_endpoint_bytes + limits::free_body_bytes;
    body_share other("h", 1);
    {
        body_share share("h", 1);
        EXPECT_TRUE(share.grow(most));
        EXPECT_FALSE(share.grow(most + 1));
        EXPECT_TRUE(other.grow(limits::free_body_bytes));
        EXPECT_FALSE(other.grow(limits::free_body_bytes + 1));
    }
    EXPECT_TRUE(other.grow(most));
}

TEST(BodyBudget, OneEndpointLeavesHalfToTheOthers) {
    const std::size_t half = limits::bodies_of_endpoint_bytes + limits::free_body_bytes;
    body_share a("a", 1), b("b", 1), c("c", 1);
    EXPECT_TRUE(a.grow(half));
    EXPECT_TRUE(b.grow(half));
    EXPECT_FALSE(c.grow(limits::free_body_bytes + 1));
    EXPECT_TRUE(c.grow(limits::free_body_bytes));
}

// 12 answers of 15 KiB that inflate to 15 MiB each and do not end: they hold half of the budget, the rest of them is dropped at
// once, and others are served as if nothing was.
TEST(BodyBudget, BombsThatStallLeaveTheOthersAlone) {
    const std::string packed = zipped(std::string(large_bytes, '\0'));
    ASSERT_LT(packed.size(), 20'000U);
    std::atomic<bool> is_stalled{true};
    fault_server bombs([&](connection& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1000000\r\n\r\n" + packed);
        while (is_stalled && peer.pause(10)) {
        }
    });
    fault_server healthy(testing::answering([](const std::string& request) {
        return plain_answer(std::string(request.starts_with("GET /large") ? large_bytes : 1'000, 'x'));
    }));
    const auto client = open_client();
    std::atomic<int> dropped{0}, cut{0};
    request bomb = get(bombs.url());
    bomb.attempt_timeout_ms = 60'000;
    for (int i = 0; i < 12; ++i) {
        client->send(bomb, client->steady_ms() + 60'000, [&](const answer& got) {
            if (got.fault == fault::crowded) ++dropped;
            if (got.fault == fault::reset) ++cut;
        });
    }
    ASSERT_TRUE(client->drive([&] { return dropped >= 4; }, client->steady_ms() + 60'000));
    EXPECT_EQ(fetch(*client, get(healthy.url("/small"))).response.body.size(), 1'000U);
    EXPECT_EQ(fetch(*client, get(healthy.url("/large"))).response.body.size(), large_bytes);
    is_stalled = false;
    client->drive([&] { return dropped + cut == 12; }, client->steady_ms() + 60'000);
    EXPECT_EQ(dropped, 4);
    EXPECT_EQ(cut, 8);
}

}  // namespace
}  // namespace gputide::http
