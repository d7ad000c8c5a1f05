// Names of hosts in a client: limits, threads, texts, proxies.
#include "fetching.hpp"
#include "http/libcurl.hpp"
#include "support/fault_server.hpp"
#include "support/hanging_names.hpp"

#include <clocale>
#include <cstdlib>
#include <poll.h>

namespace gputide::http {
namespace {

using testing::answering;
using testing::connection;
using testing::fault_server;
using testing::lookups_of;
using testing::open_gate;
using testing::plain_answer;
using testing::thread_count;
using testing::wait_inside_gate;

request through(std::string proxy, std::string url) {
    request out = get(std::move(url));
    tls_settings settings;
    settings.proxy = std::move(proxy);
    out.tls = std::make_shared<const tls_settings>(settings);
    return out;
}

fault_server::script saying(const char* text) {
    return answering([text](const std::string&) { return plain_answer(text); });
}

// The connection ends with each answer.
fault_server::script closing() {
    return [](connection& peer) {
        if (peer.read_request()) peer.send(plain_answer("ok", "200 OK", "Connection: close\r\n"));
    };
}

TEST(Name, LimitsHoldDuringALookup) {
    const auto client = open_client();
    EXPECT_EQ(fetch(*client, get("http://a.hangs.test/"), 50).fault, fault::deadline);
    request attempt = get("http://a.hangs.test/");
    attempt.attempt_timeout_ms = 50;
    EXPECT_EQ(fetch(*client, attempt).fault, fault::timeout);
    request connect = get("http://a.hangs.test/");
    connect.connect_timeout_ms = 50;
    const answer got = fetch(*client, connect);
    EXPECT_EQ(got.fault, fault::timeout);
    EXPECT_EQ(got.fault_text, "timed out trying to connect to a.hangs.test:80 within 50 ms");
    EXPECT_EQ(lookups_of("a.hangs.test"), 1);
    open_gate();
}

TEST(Name, CancelAndTheEndOfTheClientDoNotWaitForALookup) {
    bool heard = false;
    {
        const auto client = open_client();
        const auto hear = [&heard](const answer&) { heard = true; };
        const auto first = client->send(get("http://b.hangs.test/"), client->steady_ms() + 60'000, hear);
        client->send(get("http://b.hangs.test/"), client->steady_ms() + 60'000, hear);
        client->step(0);
        wait_inside_gate(1);
        client->cancel(first);
        client->step(0);
    }
    open_gate();
    EXPECT_FALSE(heard);
}

TEST(Name, ThreeHundredThatHangTakeSixteenThreadsAndDelayNoHealthyOne) {
    fault_server server(saying("ok"));
    const auto client = open_client();
    const std::size_t before = thread_count();
    int ended = 0;
    const std::int64_t deadline_ms = client->steady_ms() + 60'000;
    for (int i = 0; i < 300; ++i) {
        client->send(get("http://n" + std::to_string(i) + ".hangs.test/"), deadline_ms, [&](const answer& got) {
            EXPECT_EQ(got.fault, fault::resolve);
            ++ended;
        });
    }
    client->step(0);
    EXPECT_EQ(fetch(*client, get("http://healthy.here.test:" + std::to_string(server.port()))).response.body, "ok");
    const std::size_t meanwhile = thread_count();
    EXPECT_GT(meanwhile, before);
    EXPECT_LE(meanwhile, before + 16 + 1);  // the server has one for its connection
    EXPECT_EQ(ended, 0);
    const testing::gate_held_open open;
    EXPECT_TRUE(client->drive([&] { return ended == 300; }, deadline_ms));
}

// A host that waits on the descriptor itself hears of a lookup that ends.
TEST(Name, ALookupThatEndsMakesTheDescriptorReadable) {
    const auto client = open_client();
    bool heard = false;
    client->send(get("http://c.hangs.test/"), client->steady_ms() + 60'000, [&heard](const answer&) { heard = true; });
    while (lookups_of("c.hangs.test") == 0) client->look();
    open_gate();
    while (!heard) {
        pollfd ready{client->descriptor(), POLLIN, 0};
        ASSERT_EQ(::poll(&ready, 1, 20'000), 1);
        client->look();
    }
}

TEST(Name, SaysWhatDoesNotResolve) {
    const auto client = open_client();
    const answer host = fetch(*client, get("http://nowhere.test/"));
    EXPECT_EQ(host.fault, fault::resolve);
    EXPECT_EQ(host.fault_text, "the name cannot be resolved (Could not resolve host: nowhere.test)");
    const answer proxy = fetch(*client, through("http://proxy.test:3128", "http://a.here.test/"));
    EXPECT_EQ(proxy.fault, fault::connect);
    EXPECT_EQ(proxy.fault_text,
              "the name of the proxy proxy.test:3128 (the host program's options) cannot be resolved");
    EXPECT_EQ(lookups_of("a.here.test"), 0);
}

TEST(Name, OfAProxy) {
    fault_server proxy(saying("by proxy"));
    const std::string address = "proxy.here.test:" + std::to_string(proxy.port());
    const auto client = open_client();
    EXPECT_EQ(fetch(*client, through("http://" + address, "http://host.hangs.test/")).response.body, "by proxy");
    for (const std::string& value : {address, "http://user:word@" + address}) {
        ASSERT_EQ(setenv("http_proxy", value.c_str(), 1), 0);
        const auto fresh = open_client();
        EXPECT_EQ(fetch(*fresh, through("environment", "http://host.hangs.test/")).response.body, "by proxy");
        ASSERT_EQ(setenv("no_proxy", ".here.test", 1), 0);
        const answer direct =
            fetch(*fresh, through("environment", "http://p.here.test:" + std::to_string(proxy.port()) + "/"));
        EXPECT_EQ(direct.response.body, "by proxy");
        unsetenv("no_proxy");
    }
    unsetenv("http_proxy");
    EXPECT_EQ(lookups_of("p.here.test"), 2);
    EXPECT_EQ(lookups_of("host.hangs.test"), 0);
}

// SOCKS5 over its own name, then the host's, both looked up here (RFC 1928).
TEST(Name, OfASocksProxyAndTheHostBehindIt) {
    fault_server proxy([](connection&) {});
    const auto client = open_client();
    ASSERT_EQ(setenv("all_proxy", ("socks4://socks.here.test:" + std::to_string(proxy.port())).c_str(), 1), 0);
    const answer got = fetch(*client, through("environment", "http://behind.here.test/"));
    unsetenv("all_proxy");
    EXPECT_FALSE(got.arrived());
    EXPECT_EQ(lookups_of("socks.here.test"), 1);
    EXPECT_EQ(lookups_of("behind.here.test"), 1);
}

TEST(Name, OfWhereToConnectTo) {
    fault_server server(saying("ok"));
    const auto client = open_client();
    request elsewhere = get("http://url.hangs.test/");
    tls_settings settings;
    settings.connect_to = "to.here.test:" + std::to_string(server.port());
    elsewhere.tls = std::make_shared<const tls_settings>(settings);
    EXPECT_EQ(fetch(*client, elsewhere).response.body, "ok");
    EXPECT_EQ(lookups_of("url.hangs.test"), 0);
    EXPECT_TRUE(holds(server.last_request(), "Host: url.hangs.test")) << server.last_request();
}

// ::1 comes first, where nothing listens.
TEST(Name, WithAddressesOfBothKinds) {
    fault_server server(saying("ok"));
    const auto client = open_client();
    EXPECT_EQ(fetch(*client, get("http://both.here.test:" + std::to_string(server.port()))).response.body, "ok");
}

TEST(Name, IsKeptWithItsPort) {
    fault_server first(closing()), second(closing());
    const auto client = open_client();
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(fetch(*client, get("http://Kept.here.test:" + std::to_string(first.port()))).response.body, "ok");
        EXPECT_EQ(fetch(*client, get("http://kept.here.test:" + std::to_string(second.port()))).response.body, "ok");
    }
    EXPECT_EQ(lookups_of("kept.here.test"), 2);
    EXPECT_EQ(first.connections(), 3);
}

TEST(Name, WithABodyIsSentWhole) {
    fault_server server(saying("ok"));
    const auto client = open_client();
    request post = get("http://post.here.test:" + std::to_string(server.port()) + "/path");
    post.method = "POST";
    post.body = secret_text(std::string(100, 'b'));
    post.set("X-Key", "value");
    EXPECT_EQ(fetch(*client, post).response.body, "ok");
    EXPECT_TRUE(holds(server.last_request(), "POST /path")) << server.last_request();
    EXPECT_TRUE(holds(server.last_request(), "X-Key: value")) << server.last_request();
    EXPECT_TRUE(holds(server.last_request(), std::string(100, 'b'))) << server.last_request();
}

// libcurl 7.88 reads such a name in the program's locale.
TEST(Name, OfOtherLettersIsLookedUpAsDnsHasIt) {
    if ((curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_IDN) == 0)
        GTEST_SKIP() << "no IDN in this libcurl";
    fault_server server(saying("ok"));
    const auto client = open_client();
    const std::string url = "http://b\u00fccher.here.test:" + std::to_string(server.port());
    ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
    EXPECT_EQ(fetch(*client, get(url)).response.body, "ok");
    std::setlocale(LC_CTYPE, "C");
    EXPECT_EQ(lookups_of("xn--bcher-kva.here.test"), 1);
}

TEST(Name, OfThisMachineAndAddressesAreNotLookedUp) {
    fault_server server(saying("ok"));
    const auto client = open_client();
    const std::string port = std::to_string(server.port());
    for (const std::string host : {"127.0.0.1", "localhost", "LOCALHOST", "a.localhost", "0x7f.1"})
        EXPECT_EQ(fetch(*client, get("http://" + host + ":" + port)).response.body, "ok") << host;
    EXPECT_EQ(fetch(*client, through("http://localhost:" + port, "http://host.hangs.test/")).response.body, "ok");
    EXPECT_EQ(fetch(*client, get("http://[::1]:" + port)).fault, fault::connect);
}

}  // namespace
}  // namespace gputide::http
