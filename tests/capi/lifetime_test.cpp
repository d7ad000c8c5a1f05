// A runtime across fork and the end of its thread: the rules that gputide.h states (unload: plugin.c).
#include "door.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <sys/wait.h>
#include <unistd.h>

namespace {

std::int64_t system_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// Opens a runtime through the table, drives one scaler to its first event, and ends it; 0: all went well.
int one_life(const gputide_api_table& api, bool own_thread) {
    auto options = sized<gputide_runtime_options>();
    options.start_spread_ms = 1;
    gputide_runtime* runtime = nullptr;
    std::uint64_t id = 0;
    if (api.runtime_new(&options, &runtime, nullptr) != GPUTIDE_OK) return 1;
    if (own_thread && api.runtime_start(runtime, nullptr) != GPUTIDE_OK) return 2;
    if (api.runtime_add(runtime, pushed_manifest, GPUTIDE_TEXT, nullptr, &id, nullptr) != GPUTIDE_OK) return 3;
    auto value = sized<gputide_sample>();
    value.value = 42.5;
    auto seen = sized<gputide_observation>();
    seen.now_ms = system_ms();
    seen.current_replicas = 3;
    seen.samples = &value;
    seen.sample_count = 1;
    seen.sample_size = sizeof value;
    if (api.runtime_observe(runtime, id, &seen, nullptr) != GPUTIDE_OK) return 4;
    auto event = sized<gputide_event>();
    auto decision = sized<gputide_decision>();
    if (api.runtime_next_event(runtime, 10'000, nullptr, &event, &decision, nullptr, nullptr) != GPUTIDE_OK) return 5;
    if (event.id != id || decision.desired_replicas != 6) return 6;
    api.runtime_free(runtime);
    return 0;
}

// ThreadSanitizer ends a child of fork that starts a thread (g++ 12: "dup thread with used id", die_after_fork=0 or not).
#ifdef __SANITIZE_THREAD__
constexpr bool child_starts_a_thread = false;
#else
constexpr bool child_starts_a_thread = true;
#endif

TEST(Lifetime, AChildOfForkOpensItsOwnAndTheParentsGoesOn) {
    const gputide_api_table& api = *gputide_api(GPUTIDE_ABI_VERSION, nullptr);
    gputide_runtime* parents = nullptr;
    ASSERT_EQ(api.runtime_new(nullptr, &parents, nullptr), GPUTIDE_OK);
    ASSERT_EQ(api.runtime_start(parents, nullptr), GPUTIDE_OK);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(one_life(api, child_starts_a_thread) * 10 + one_life(api, false));
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(api.runtime_stop(parents, 10'000, nullptr), GPUTIDE_OK);
    api.runtime_free(parents);
    EXPECT_EQ(one_life(api, true), 0);
}

TEST(Lifetime, FreeStopsARunningThread) {
    for (int i = 0; i < 20; ++i) {
        gputide_runtime* runtime = nullptr;
        ASSERT_EQ(gputide_runtime_new(nullptr, &runtime, nullptr), GPUTIDE_OK);
        ASSERT_EQ(gputide_runtime_start(runtime, nullptr), GPUTIDE_OK);
        gputide_runtime_free(runtime);
    }
}

}  // namespace
