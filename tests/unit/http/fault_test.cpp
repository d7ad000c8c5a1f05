// Peers that misbehave, and what is made of each.
#include "fetching.hpp"
#include "http/exchange.hpp"
#include "support/fault_server.hpp"
#include "wire/errors.hpp"

namespace gputide::http {
namespace {

using testing::answering;
using testing::connection;
using testing::fault_server;
using testing::plain_answer;
using testing::zipped;

answer fetch_from(fault_server::script run, std::int64_t attempt_ms = 30'000,
                  std::size_t most = limits::response_bytes) {
    fault_server server(std::move(run));
    const auto client = open_client();
    request what = get(server.url());
    what.attempt_timeout_ms = attempt_ms;
    what.max_bytes = most;
    return fetch(*client, what);
}

fault_server::script sending(std::string bytes) {
    return [bytes = std::move(bytes)](connection& peer) {
        peer.read_request();
        peer.send(bytes);
    };
}

std::string gzip_answer(const std::string& packed) {
    return plain_answer(packed, "200 OK", "Content-Encoding: gzip\r\n");
}

TEST(Fault, NobodyListens) {
    int port = 0;
    { port = fault_server(sending("")).port(); }
    const auto client = open_client();
    const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/";
    const answer got = fetch(*client, get(url));
    EXPECT_EQ(got.fault, fault::connect);
    EXPECT_TRUE(holds(got.fault_text, "Connection refused")) << got.fault_text;
    EXPECT_TRUE(holds(got.fault_text, "127.0.0.1:" + std::to_string(port)));
    const error why = fault_error(got);
    EXPECT_EQ(why.status, status::unavailable);
    EXPECT_TRUE(why.retryable);
    EXPECT_TRUE(holds(why.message, "Is something listening there")) << why.message;
}

TEST(Fault, AnUnknownName) {
    const auto client = open_client();
    const answer got = fetch(*client, get("http://nowhere.test/"));
    EXPECT_EQ(got.fault, fault::resolve);
    EXPECT_TRUE(holds(got.fault_text, "nowhere.test")) << got.fault_text;
}

TEST(Fault, ABodyCutShort) {
    const answer half = fetch_from(sending("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"));
    EXPECT_EQ(half.fault, fault::reset);
    EXPECT_TRUE(holds(half.fault_text, "closed before the answer was complete")) << half.fault_text;
    EXPECT_EQ(fetch_from(sending("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")).fault,
              fault::reset);
}

TEST(Fault, NoAnswerAtAll) {
    const answer got = fetch_from(sending(""));
    EXPECT_EQ(got.fault, fault::reset);
    EXPECT_TRUE(holds(got.fault_text, "if the port requires TLS, write https")) << got.fault_text;
}

TEST(Fault, AReset) {
    const answer got = fetch_from([](connection& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
        peer.pause(50);
        peer.reset();
    });
    EXPECT_EQ(got.fault, fault::reset) << got.fault_text;
}

TEST(Fault, SomethingThatIsNotHttp) {
    const answer got = fetch_from(sending("SSH-2.0-OpenSSH_9.2\r\n"));
    EXPECT_EQ(got.fault, fault::other);
    EXPECT_EQ(fault_error(got).status, status::protocol);
}

TEST(Fault, ChunkedBodiesAndPagesOfProxiesArrive) {
    const answer chunked = fetch_from(
        sending("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n"));
    EXPECT_EQ(chunked.response.body, "hello!");
    const answer page =
        fetch_from(sending(plain_answer("<html>no</html>", "502 Bad Gateway", "Content-Type: text/html\r\n")));
    EXPECT_EQ(page.response.status, 502);
    EXPECT_EQ(page.response.header("content-type"), "text/html");
}

TEST(Fault, ADeclaredSizeOverTheLimit) {
    const answer got = fetch_from(sending("HTTP/1.1 200 OK\r\nContent-Length: 1000001\r\n\r\n"), 30'000, 1'000'000);
    EXPECT_EQ(got.fault, fault::too_large);
    EXPECT_TRUE(holds(got.fault_text, "1000000"));
}

TEST(Fault, ABodyOfExactlyTheLimitArrives) {
    EXPECT_EQ(fetch_from(sending(plain_answer(std::string(100'000, 'x'))), 30'000, 100'000).response.body.size(),
              100'000U);
    EXPECT_EQ(fetch_from(sending(plain_answer(std::string(100'001, 'x'))), 30'000, 100'000).fault, fault::too_large);
}

TEST(Fault, AnEndlessBody) {
    const answer got = fetch_from(
        [](connection& peer) {
            peer.read_request();
            peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            while (peer.send("1000\r\n" + std::string(4'096, 'x') + "\r\n")) {
            }
        },
        30'000, 1'000'000);
    EXPECT_EQ(got.fault, fault::too_large);
}

TEST(Fault, GzipIsReadAndABombIsNot) {
    EXPECT_EQ(fetch_from(sending(gzip_answer(zipped("hello")))).response.body, "hello");
    const std::string bomb = zipped(std::string(32U << 20U, '\0'));
    ASSERT_LT(bomb.size(), 100'000U);
    EXPECT_EQ(fetch_from(sending(gzip_answer(bomb))).fault, fault::too_large);
}

// Empty blocks for ever: nothing comes out, so only the bytes on the wire tell.
TEST(Fault, GzipThatHoldsNothing) {
    const answer got = fetch_from(
        [](connection& peer) {
            peer.read_request();
            peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n");
            peer.send(std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10));
            std::string blocks;
            for (int i = 0; i < 1'000; ++i) blocks.append("\0\0\0\xff\xff", 5);
            while (peer.send(blocks)) {
            }
        },
        30'000, 1'000'000);
    EXPECT_EQ(got.fault, fault::too_large) << got.fault_text;
}

TEST(Fault, DamagedGzip) {
    std::string packed = zipped(std::string(10'000, 'x') + "hello");
    packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
    EXPECT_EQ(fetch_from(sending(gzip_answer(packed))).fault, fault::encoding);
    EXPECT_EQ(fetch_from(sending(gzip_answer("not gzip at all"))).fault, fault::encoding);
    EXPECT_EQ(fetch_from(sending(plain_answer("x", "200 OK", "Content-Encoding: snappy\r\n"))).fault, fault::encoding);
}

// A stream that ends early looks whole where its last line does: a page without its last series, and a sum too small.
TEST(Fault, GzipThatWasCut) {
    const std::string packed = zipped(std::string(10'000, 'x') + "hello");
    for (const std::size_t less : {std::size_t{1}, std::size_t{8}, std::size_t{9}, packed.size() / 2}) {
        const answer got = fetch_from(sending(gzip_answer(packed.substr(0, packed.size() - less))));
        EXPECT_EQ(got.fault, fault::encoding) << less;
        EXPECT_TRUE(holds(got.fault_text, "truncated")) << got.fault_text;
    }
    EXPECT_EQ(fetch_from(sending(gzip_answer(zipped("one, ") + zipped("two")))).response.body, "one, two");
    EXPECT_EQ(fetch_from(sending(gzip_answer(zipped("")))).response.body, "");
}

TEST(Fault, EndlessHeaders) {
    const answer got = fetch_from([](connection& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\n");
        while (peer.send("X-Pad: " + std::string(1'000, 'x') + "\r\n")) {
        }
    });
    EXPECT_EQ(got.fault, fault::too_large);
    EXPECT_TRUE(holds(got.fault_text, "headers")) << got.fault_text;
}

// One byte at a time keeps a connection alive, not an attempt.
TEST(Fault, SlowHeadersAndSlowBodies) {
    const auto drip = [](std::string start) {
        return [start = std::move(start)](connection& peer) {
            peer.read_request();
            peer.send(start);
            while (peer.pause(20) && peer.send("x")) {
            }
        };
    };
    const answer headers = fetch_from(drip("HTTP/1.1 200 OK\r\nX-Slow: "), 300);
    EXPECT_EQ(headers.fault, fault::timeout);
    EXPECT_TRUE(holds(headers.fault_text, "timed out")) << headers.fault_text;
    EXPECT_EQ(fetch_from(drip("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"), 300).fault, fault::timeout);
}

TEST(Fault, TheDeadlineEndsWhatTheAttemptWouldAllow) {
    fault_server server([](connection& peer) {
        peer.read_request();
        peer.pause(60'000);
    });
    const auto client = open_client();
    const stopwatch watch;
    const answer got = fetch(*client, get(server.url()), 200);
    EXPECT_EQ(got.fault, fault::deadline);
    EXPECT_GE(watch.ms(), 190);
    EXPECT_EQ(fault_error(got).status, status::timeout);
}

// 192.0.2.0/24 is reserved for documentation (RFC 5737): nothing answers, or the machine has no route at all.
TEST(Fault, NobodyAnswersTheConnection) {
    const auto client = open_client();
    request what = get("http://192.0.2.1/");
    what.use_proxy = false;
    what.connect_timeout_ms = 200;
    const answer got = fetch(*client, what);
    EXPECT_TRUE(got.fault == fault::timeout || got.fault == fault::connect) << fault_name(got.fault);
    EXPECT_TRUE(holds(got.fault_text, "connect")) << got.fault_text;
}

// The peer closed a kept connection while it was idle: one silent repeat on a new one, as the request cannot have been read.
TEST(Fault, AKeptConnectionThatDiedIsReplacedOnce) {
    fault_server server([](connection& peer) {
        peer.read_request();
        peer.send(plain_answer("ok"));
        if (peer.number() > 0) return;
        peer.read_request();
        peer.reset();
    });
    const auto client = open_client();
    EXPECT_EQ(fetch(*client, get(server.url())).response.status, 200);
    EXPECT_EQ(fetch(*client, get(server.url())).response.status, 200);
    EXPECT_EQ(server.connections(), 2);
}

TEST(Fault, ANewConnectionThatDiesIsNotTriedAgain) {
    fault_server server([](connection& peer) {
        peer.read_request();
        peer.reset();
    });
    const auto client = open_client();
    EXPECT_EQ(fetch(*client, get(server.url())).fault, fault::reset);
    EXPECT_EQ(server.connections(), 1);
}

TEST(Fault, ARefusalAndThenAnAnswer) {
    std::atomic<int> count{0};
    fault_server server(answering(
        [&](const std::string&) { return ++count == 1 ? plain_answer("", "401 Unauthorized") : plain_answer("ok"); }));
    const auto client = open_client();
    EXPECT_EQ(fetch(*client, get(server.url())).response.status, 401);
    EXPECT_EQ(fetch(*client, get(server.url())).response.body, "ok");
}

TEST(Fault, AThrottledCallerWaitsAsAsked) {
    std::atomic<int> count{0};
    fault_server server(answering([&](const std::string&) {
        return ++count == 1 ? plain_answer("", "429 Too Many Requests", "retry-after-ms: 150\r\n") : plain_answer("ok");
    }));
    const auto client = open_client();
    const std::int64_t deadline = client->steady_ms() + 10'000;
    const stopwatch watch;
    const auto got = wait<retried>(
        *client, [&](auto done) { return send_with_retry(*client, get(server.url()), {}, deadline, std::move(done)); },
        deadline, nullptr);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->attempts, 2);
    EXPECT_EQ(got->last.response.body, "ok");
    EXPECT_GE(watch.ms(), 150);
}

}  // namespace
}  // namespace gputide::http
