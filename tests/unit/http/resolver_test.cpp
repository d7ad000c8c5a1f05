// Names that take their time: the limits hold although the system's resolver cannot be interrupted.  getaddrinfo() of this
// program stands before the C library's (the test is linked with its symbols exported).
#include "fetching.hpp"

#include <dlfcn.h>
#include <netdb.h>
#include <thread>

extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* name, const char* service,
                                                                  const addrinfo* hints, addrinfo** out) {
    using resolver = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto next = reinterpret_cast<resolver>(dlsym(RTLD_NEXT, "getaddrinfo"));
    if (name != nullptr && std::string_view(name) == "slow.invalid") {
        std::this_thread::sleep_for(std::chrono::seconds(3));
        return EAI_NONAME;
    }
    return next(name, service, hints, out);
}

namespace gputide::http {
namespace {

TEST(Resolver, LimitsHoldDuringASlowLookUp) {
    const auto client = open_client();
    {
        const stopwatch watch;
        EXPECT_EQ(fetch(*client, get("http://slow.invalid/"), 200).fault, fault::deadline);
        EXPECT_LT(watch.ms(), 1'500);
    }
    request attempt = get("http://slow.invalid/");
    attempt.attempt_timeout_ms = 200;
    const stopwatch watch;
    EXPECT_EQ(fetch(*client, attempt).fault, fault::timeout);
    request connect = get("http://slow.invalid/");
    connect.connect_timeout_ms = 200;
    const answer got = fetch(*client, connect);
    EXPECT_EQ(got.fault, fault::timeout);
    EXPECT_TRUE(holds(got.fault_text, "connect")) << got.fault_text;
    EXPECT_LT(watch.ms(), 2'000);
}

TEST(Resolver, CancelAndTheEndOfTheClientDoNotWaitForIt) {
    const stopwatch watch;
    {
        const auto client = open_client();
        const auto first =
            client->send(get("http://slow.invalid/"), client->steady_ms() + 60'000, [](const answer&) {});
        client->send(get("http://slow.invalid/"), client->steady_ms() + 60'000, [](const answer&) {});
        client->step(50);
        client->cancel(first);
        client->step(50);
    }
    EXPECT_LT(watch.ms(), 1'500);
    std::this_thread::sleep_for(std::chrono::milliseconds(3'200));  // the look-ups end, into nothing
}

}  // namespace
}  // namespace gputide::http
