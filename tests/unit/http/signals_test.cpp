// SIGPIPE belongs to the host: no client touches it, whether it was used or not.  sigaction() of this program stands before the C
// library's (the test is linked with its symbols exported).
#include "fetching.hpp"
#include "support/fault_server.hpp"

#include <csignal>
#include <dlfcn.h>

static std::atomic<int> changes{0};

extern "C" __attribute__((visibility("default"))) int sigaction(int number, const struct sigaction* wanted,
                                                                struct sigaction* before) {
    using setter = int (*)(int, const struct sigaction*, struct sigaction*);
    static const auto next = reinterpret_cast<setter>(dlsym(RTLD_NEXT, "sigaction"));
    if (number == SIGPIPE && wanted != nullptr) ++changes;
    return next(number, wanted, before);
}

namespace gputide::http {
namespace {

TEST(Signals, AClientThatWasNeverUsedLeavesSigpipeAlone) {
    changes = 0;
    open_client();
    EXPECT_EQ(changes, 0);
}

TEST(Signals, AClientThatWasUsedLeavesSigpipeAlone) {
    testing::fault_server server([](testing::connection& peer) {
        if (peer.read_request()) peer.send(testing::plain_answer("ok"));
    });
    changes = 0;
    EXPECT_EQ(fetch(*open_client(), get(server.url())).response.status, 200);
    EXPECT_EQ(changes, 0);
}

}  // namespace
}  // namespace gputide::http
