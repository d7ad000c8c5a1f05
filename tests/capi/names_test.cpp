// A tenant's host names with a DNS server that does not answer, in a runtime with another tenant's healthy one.
#include "gputide/gputide.hpp"
#include "support.hpp"
#include "support/fault_server.hpp"
#include "support/hanging_names.hpp"

#include <gtest/gtest.h>

namespace {

using gputide::testing::answering;
using gputide::testing::fault_server;
using gputide::testing::thread_count;

std::string manifest_of(const std::string& name, const std::string& url) {
    return R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":")" + name +
           R"("},"spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":1,"maxReplicaCount":20,"triggers":[
           {"type":"prometheus","metadata":{"serverAddress":")" +
           url + R"(","query":"q","threshold":"5"}}]}})";
}

TEST(Names, ThreeHundredThatHangTakeSixteenThreadsAndStopNoOtherScaler) {
    fault_server server(answering([](const std::string&) {
        return gputide::testing::plain_answer(
            R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"30"]}]}})");
    }));
    gputide::runtime runtime(gputide::runtime_options{}.start_spread_ms(1).poll_timeout_ms(120'000));
    runtime.start();
    const std::size_t before = thread_count();
    for (int i = 0; i < 300; ++i) {
        const std::string name = "n" + std::to_string(i);
        runtime.observe(runtime.add(manifest_of(name, "http://" + name + ".hangs.test")),
                        gputide::observation{}.at(system_ms()).current(3));
    }
    gputide::testing::wait_inside_gate(8);
    const std::uint64_t healthy =
        runtime.add(manifest_of("healthy", "http://prometheus.here.test:" + std::to_string(server.port())));
    runtime.observe(healthy, gputide::observation{}.at(system_ms()).current(3));
    const auto event = runtime.next_event(60'000);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->id(), healthy);
    EXPECT_EQ(event->decision.desired(), 6);
    EXPECT_LE(thread_count(), before + 16 + 1);  // the server has one for its connection
    runtime.close(10'000);                       // waits for none of them
    gputide::testing::open_gate();
}

}  // namespace
