// Ordinary traffic: what is sent, what comes back, connections kept, limits of time, canceling.
#include "fetching.hpp"
#include "support/fault_server.hpp"

#include <algorithm>
#include <ctime>
#include <limits>
#include <thread>

namespace gputide::http {
namespace {

using testing::answering;
using testing::connection;
using testing::fault_server;
using testing::plain_answer;

TEST(Client, DeliversStatusHeadersAndBody) {
    fault_server server(answering(
        [](const std::string&) { return plain_answer("hello", "418 Teapot", "X-One:  a b \r\nx-two:\r\n"); }));
    const auto client = open_client();
    const answer got = fetch(*client, get(server.url()));
    ASSERT_TRUE(got.arrived()) << got.fault_text;
    EXPECT_EQ(got.response.status, 418);
    EXPECT_EQ(got.response.body, "hello");
    EXPECT_EQ(got.response.header("x-one"), "a b");
    EXPECT_EQ(got.response.header("X-Two"), "");
}

TEST(Client, SendsHeadersAndBodyAsGiven) {
    fault_server server(answering([](const std::string& request) { return plain_answer(request); }));
    const auto client = open_client();
    request what = get(server.url("/a/../b?x=%20y"));
    what.method = "POST";
    what.body = secret_text(std::string("k=v\0w", 5));
    what.set("Content-Type", "text/plain");
    what.set("X-Empty", "");
    const answer got = fetch(*client, what);
    EXPECT_TRUE(holds(got.response.body, "POST /a/../b?x=%20y HTTP/1.1\r\n")) << got.response.body;
    EXPECT_TRUE(holds(got.response.body, "Content-Type: text/plain\r\n"));
    EXPECT_TRUE(holds(got.response.body, "X-Empty:\r\n"));
    EXPECT_TRUE(holds(got.response.body, "Accept-Encoding: gzip\r\n"));
    EXPECT_TRUE(holds(got.response.body, "User-Agent: gputide/"));
    EXPECT_FALSE(holds(got.response.body, "Expect:"));
    EXPECT_TRUE(got.response.body.ends_with(std::string("\r\n\r\nk=v\0w", 9)));
}

TEST(Client, ALargeBodyDoesNotWaitForContinue) {
    fault_server server(
        answering([](const std::string& request) { return plain_answer(std::to_string(request.size())); }));
    const auto client = open_client();
    request what = get(server.url());
    what.method = "PUT";
    what.body = secret_text(std::string(3U << 20U, 'x'));
    const answer got = fetch(*client, what);
    ASSERT_TRUE(got.arrived()) << got.fault_text;
    EXPECT_GT(std::stoul(got.response.body), 3U << 20U);
    EXPECT_FALSE(holds(server.last_request().substr(0, 2'000), "Expect"));
}

// A handle that was used for one kind of request must carry nothing of it into the next.
TEST(Client, ReusedHandlesForgetTheLastRequest) {
    fault_server server(answering(
        [](const std::string& request) { return plain_answer(request.substr(0, 4) == "HEAD" ? "" : request); }));
    const auto client = open_client();
    request first = get(server.url("/one"));
    first.method = "PATCH";
    first.body = secret_text(std::string_view("body-of-one"));
    first.set("X-One", "1");
    EXPECT_TRUE(holds(fetch(*client, first).response.body, "PATCH /one"));
    request head = get(server.url("/head"));
    head.method = "HEAD";
    EXPECT_EQ(fetch(*client, head).response.status, 200);
    const answer got = fetch(*client, get(server.url("/two")));
    EXPECT_TRUE(got.response.body.starts_with("GET /two HTTP/1.1\r\n")) << got.response.body;
    EXPECT_FALSE(holds(got.response.body, "X-One"));
    EXPECT_FALSE(holds(got.response.body, "Content-"));
    EXPECT_FALSE(holds(got.response.body, "body-of-one"));
    request remove = get(server.url("/three"));
    remove.method = "DELETE";
    EXPECT_TRUE(fetch(*client, remove).response.body.starts_with("DELETE /three HTTP/1.1\r\n"));
    request empty_post = get(server.url("/four"));
    empty_post.method = "POST";
    EXPECT_TRUE(holds(fetch(*client, empty_post).response.body, "Content-Length: 0\r\n"));
    EXPECT_EQ(server.connections(), 1);
}

TEST(Client, TakesAnInterimAnswerForWhatItIs) {
    fault_server server([](connection& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + plain_answer("ok"));
    });
    const auto client = open_client();
    const answer got = fetch(*client, get(server.url()));
    EXPECT_EQ(got.response.status, 200);
    EXPECT_FALSE(got.response.header("Link"));
}

TEST(Client, FollowsNoRedirect) {
    fault_server server(
        answering([](const std::string&) { return plain_answer("", "302 Found", "Location: /elsewhere\r\n"); }));
    const auto client = open_client();
    EXPECT_EQ(fetch(*client, get(server.url())).response.status, 302);
    EXPECT_EQ(server.requests(), 1);
}

TEST(Client, KeepsSixtyFourInFlight) {
    fault_server server([](connection& peer) {
        while (peer.read_request()) {
            peer.pause(500);
            if (!peer.send(plain_answer("ok"))) return;
        }
    });
    const auto client = open_client();
    const std::int64_t deadline = client->steady_ms() + 20'000;
    std::atomic<int> good{0}, all{0};
    for (int i = 0; i < 64; ++i) {
        client->send(get(server.url()), deadline, [&](const answer& got) {
            if (got.response.status == 200) ++good;
            ++all;
        });
    }
    EXPECT_TRUE(client->drive([&] { return all == 64; }, deadline));
    EXPECT_EQ(good, 64);
    EXPECT_GE(server.max_at_once(), 32);
}

// Slow peers must not slow down the others: what an answer costs does not grow with the requests that hang.  The cheapest of several
// batches is compared, because another program on the same processors makes each of them more expensive.
TEST(Client, HundredsThatHangCostTheOthersNothing) {
    fault_server slow([](connection& peer) {
        peer.read_request();
        peer.pause(60'000);
    });
    fault_server quick(answering([](const std::string&) { return plain_answer("ok"); }));
    const auto client = open_client();
    const std::int64_t deadline = client->steady_ms() + 60'000;
    const auto cheapest_batch = [&] {
        std::clock_t cheapest = std::numeric_limits<std::clock_t>::max();
        for (int batch = 0; batch < 5; ++batch) {
            const std::clock_t begin = std::clock();
            for (int i = 0; i < 50; ++i) EXPECT_EQ(fetch(*client, get(quick.url())).response.status, 200);
            cheapest = std::min(cheapest, std::clock() - begin);
        }
        return cheapest;
    };
    const std::clock_t alone = cheapest_batch();
    for (int i = 0; i < 300; ++i) client->send(get(slow.url()), deadline, [](const answer&) {});
    EXPECT_TRUE(client->drive([&] { return slow.requests() == 300; }, deadline));
    const std::clock_t beside = cheapest_batch();
    EXPECT_LT(beside, 3 * alone + CLOCKS_PER_SEC / 200);
}

TEST(Client, CallbacksRunOnTheDrivingThreadAndMayAskForMore) {
    fault_server server(answering([](const std::string&) { return plain_answer("ok"); }));
    const auto client = open_client();
    const auto me = std::this_thread::get_id();
    const std::int64_t deadline = client->steady_ms() + 10'000;
    std::atomic<int> rounds{0};
    std::function<void(answer)> again = [&](const answer& got) {
        EXPECT_EQ(std::this_thread::get_id(), me);
        EXPECT_EQ(got.response.status, 200);
        if (++rounds < 10) client->send(get(server.url()), deadline, again);
    };
    std::thread([&] { client->send(get(server.url()), deadline, again); }).join();
    EXPECT_EQ(rounds, 0);
    EXPECT_TRUE(client->drive([&] { return rounds == 10; }, deadline));
}

TEST(Client, APastDeadlineSendsNothing) {
    fault_server server(answering([](const std::string&) { return plain_answer("ok"); }));
    const auto client = open_client();
    EXPECT_EQ(fetch(*client, get(server.url()), 0).fault, fault::deadline);
    EXPECT_EQ(server.connections(), 0);
}

TEST(Client, ARefusedRequestSendsNothingAndStillCallsBack) {
    fault_server server(answering([](const std::string&) { return plain_answer("ok"); }));
    const auto client = open_client();
    request what = get("http://10.255.255.1/");
    what.carries_credential = true;
    EXPECT_EQ(fetch(*client, what).fault, fault::not_allowed);
    EXPECT_EQ(fetch(*client, get("gopher://127.0.0.1/")).fault, fault::url);
    EXPECT_EQ(server.connections(), 0);
}

TEST(Client, ACancelledRequestIsNotHeardOf) {
    fault_server server([](connection& peer) {
        peer.read_request();
        peer.pause(300);
        peer.send(plain_answer("late"));
    });
    const auto client = open_client();
    bool heard = false;
    const auto before =
        client->send(get(server.url()), client->steady_ms() + 10'000, [&](const answer&) { heard = true; });
    client->cancel(before);  // not begun yet
    const auto under_way =
        client->send(get(server.url()), client->steady_ms() + 10'000, [&](const answer&) { heard = true; });
    client->step(50);
    client->cancel(under_way);
    client->cancel(under_way);
    client->cancel(987'654);
    EXPECT_FALSE(client->drive([] { return false; }, client->steady_ms() + 500));
    EXPECT_FALSE(heard);
    EXPECT_EQ(client->next_due_ms(), -1);
}

TEST(Client, GoesAwayWithTransfersUnderWay) {
    fault_server server([](connection& peer) {
        peer.read_request();
        peer.pause(60'000);
    });
    const auto kept = std::make_shared<int>(1);
    bool heard = false;
    {
        const auto client = open_client();
        for (int i = 0; i < 5; ++i)
            client->send(get(server.url()), client->steady_ms() + 60'000,
                         [&heard, kept](const answer&) { heard = true; });
        client->after(60'000, [kept] {});
        client->step(50);
    }
    EXPECT_FALSE(heard);
    EXPECT_EQ(kept.use_count(), 1);
}

TEST(Client, ClosedItDropsWhatIsUnderWayAndWhatIsAskedForLater) {
    fault_server server([](connection& peer) {
        peer.read_request();
        peer.pause(60'000);
    });
    const auto client = open_client();
    const auto kept = std::make_shared<int>(1);
    bool heard = false;
    const auto ask = [&] {
        client->send(get(server.url()), client->steady_ms() + 60'000,
                     [&heard, kept, client](const answer&) { heard = true; });
        client->after(0, [&heard, kept, client] { heard = true; });
    };
    client->send(get(server.url()), client->steady_ms() + 60'000, [kept, client](const answer&) {});
    client->step(50);
    ask();
    EXPECT_EQ(kept.use_count(), 4);
    client->close();
    EXPECT_EQ(kept.use_count(), 1) << "a callback that holds its client is a circle";
    ask();
    EXPECT_EQ(kept.use_count(), 1);
    client->step(0);
    EXPECT_FALSE(heard);
    EXPECT_EQ(client->next_due_ms(), -1);
}

TEST(Client, AProxyIsUsedWhereTheHostSaysSo) {
    fault_server proxy(answering([](const std::string&) { return plain_answer("by proxy"); }));
    ASSERT_EQ(setenv("http_proxy", ("http://127.0.0.1:" + std::to_string(proxy.port())).c_str(), 1), 0);
    fault_server server(answering([](const std::string&) { return plain_answer("direct"); }));
    const auto client = open_client();
    EXPECT_EQ(fetch(*client, get(server.url())).response.body, "direct");
    EXPECT_EQ(fetch(*client, get("http://elsewhere.test/")).fault, fault::resolve);  // off unless said
    request asked = get("http://elsewhere.test/");
    tls_settings settings;
    settings.proxy = environment_proxy;
    settings.user_agent = "host/7";
    asked.tls = std::make_shared<const tls_settings>(settings);
    EXPECT_EQ(fetch(*client, asked).response.body, "by proxy");
    request near = get(server.url());
    near.tls = asked.tls;
    EXPECT_EQ(fetch(*client, near).response.body, "direct");
    asked.use_proxy = false;
    EXPECT_EQ(fetch(*client, asked).fault, fault::resolve);
    unsetenv("http_proxy");
    settings.proxy = "http://127.0.0.1:" + std::to_string(proxy.port());
    asked.tls = std::make_shared<const tls_settings>(settings);
    asked.use_proxy = true;
    EXPECT_EQ(fetch(*client, asked).response.body, "by proxy");
}

TEST(Timers, FireInOrderAndNotTooEarly) {
    const auto client = open_client();
    const std::int64_t start = client->steady_ms();
    std::vector<int> order;
    client->after(60, [&] { order.push_back(60); });
    client->after(20, [&] { order.push_back(20); });
    const auto gone = client->after(30, [&] { order.push_back(30); });
    client->cancel(gone);
    client->after(0, [&] {
        order.push_back(0);
        client->after(40, [&] { order.push_back(40); });
    });
    EXPECT_GE(client->next_due_ms(), 0);
    EXPECT_TRUE(client->drive([&] { return order.size() == 4; }, start + 5'000));
    EXPECT_EQ(order, (std::vector<int>{0, 20, 40, 60}));
    EXPECT_GE(client->steady_ms() - start, 60);
    EXPECT_EQ(client->next_due_ms(), -1);
}

TEST(Timers, ATimerThatRenewsItselfDoesNotStarveTheRest) {
    const auto client = open_client();
    std::atomic<bool> over{false};
    std::function<void()> again = [&] {
        if (!over) client->after(0, again);
    };
    client->after(0, again);
    EXPECT_FALSE(client->drive([] { return false; }, client->steady_ms() + 50)) << "it ends";
    over = true;
}

TEST(Timers, TenThousandFire) {
    const auto client = open_client();
    int fired = 0;
    for (int i = 0; i < 10'000; ++i) client->after(i % 50, [&] { ++fired; });
    EXPECT_TRUE(client->drive([&] { return fired == 10'000; }, client->steady_ms() + 10'000));
}

TEST(Uniform, StaysInItsRangeAndVaries) {
    const auto client = open_client();
    double low = 1, high = 0;
    for (int i = 0; i < 1'000; ++i) {
        const double value = client->uniform();
        ASSERT_GE(value, 0.0);
        ASSERT_LT(value, 1.0);
        low = std::min(low, value);
        high = std::max(high, value);
    }
    EXPECT_LT(low, 0.1);
    EXPECT_GT(high, 0.9);
}

}  // namespace
}  // namespace gputide::http
