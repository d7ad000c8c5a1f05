// Tests that what works on the multi handle asks for the lead, which only the client gives, and only to the thread that drives.
#include "http/driver.hpp"

#include <gtest/gtest.h>

#include <semaphore>
#include <thread>
#include <type_traits>

namespace gputide::http {
namespace {

static_assert(!std::is_default_constructible_v<lead> && !std::is_copy_constructible_v<lead>);
static_assert(!std::is_invocable_v<decltype(&driver::work), driver&>);
static_assert(!std::is_invocable_v<decltype(&driver::wait), driver&, std::int64_t>);
static_assert(!std::is_invocable_v<decltype(&driver::look), driver&>);
static_assert(!std::is_invocable_v<decltype(&driver::close), driver&>);
static_assert(!std::is_invocable_v<decltype(&driven<multi>::with), driven<multi>&>);
static_assert(std::is_const_v<std::remove_reference_t<decltype(std::declval<driven<multi>&>().shared())>>);

TEST(Lead, ALookBesideADriveDoesNothing) {
    const auto client = *client::open({});
    std::binary_semaphore inside(0), leave(0);
    std::atomic<bool> done{false};
    client->after(0, [&] {
        inside.release();
        leave.acquire();
        done = true;
    });
    std::thread driving([&] { client->drive([&] { return done.load(); }, client->steady_ms() + 60'000); });
    inside.acquire();
    EXPECT_FALSE(client->look());
    leave.release();
    driving.join();
    EXPECT_EQ(client->look(), -1);
}

}  // namespace
}  // namespace gputide::http
