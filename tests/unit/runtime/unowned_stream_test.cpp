// Streams that are opened while memory ends: whichever allocation fails, none stays open without an owner.
#include "streams.hpp"
#include "support/failing_allocation.hpp"

namespace gputide::runtime {
namespace {

TEST_F(streams, none_is_open_that_nobody_holds) {
    std::string three = manifest_of("demo");
    for (int i = 0; i < 2; ++i) three.insert(three.rfind("]"), std::string(",") + trigger);
    int allocation = 0;
    for (bool was_reached = true; was_reached; ++allocation) {
        scaler.calls.clear();
        world narrow{every_decision()};
        narrow.loop->answer_with([this](const http::request& what) { return scaler(what); });
        narrow.observe(narrow.add_text(three), 0);
        was_reached = testing::lacks_allocation(allocation, [&] { narrow.step(); });
        narrow.run(40'000);
        EXPECT_EQ(narrow.fleet.stats().streams, 3U) << allocation;
        EXPECT_EQ(opened(), 3) << allocation;
    }
    EXPECT_GT(allocation, 20);
}

}  // namespace
}  // namespace gputide::runtime
