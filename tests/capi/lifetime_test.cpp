// A runtime across fork and the end of its thread: the rules that gputide.h states (unload: plugin.c).
#include "support.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

// A scaler more, waited for to its first event; 0: all went well.
int one_event(const gputide_api_table& api, gputide_runtime* runtime) {
    std::uint64_t id = 0;
    if (api.runtime_add(runtime, pushed_manifest, GPUTIDE_TEXT, nullptr, 0, &id, nullptr) != GPUTIDE_OK) return 3;
    const gputide_sample value = sample_of(42.5);
    const gputide_observation seen = seen_of(value, 3, system_ms());
    if (api.runtime_observe(runtime, id, &seen, nullptr) != GPUTIDE_OK) return 4;
    auto event = sized<gputide_event>();
    auto decision = sized<gputide_decision>();
    if (api.runtime_next_event(runtime, 10'000, nullptr, &event, &decision, nullptr, nullptr) != GPUTIDE_OK) return 5;
    return event.id == id && decision.desired_replicas == 6 ? 0 : 6;
}

gputide_runtime_options without_spread() {
    auto out = sized<gputide_runtime_options>();
    out.start_spread_ms = 1;
    return out;
}

// Opens a runtime through the table, sees one event, and ends it; 0: all went well.
int one_life(const gputide_api_table& api, bool own_thread) {
    const gputide_runtime_options options = without_spread();
    gputide_runtime* runtime = nullptr;
    if (api.runtime_new(&options, &runtime, nullptr) != GPUTIDE_OK) return 1;
    if (own_thread && api.runtime_start(runtime, nullptr) != GPUTIDE_OK) return 2;
    const int out = one_event(api, runtime);
    if (out == 0) api.runtime_free(runtime);
    return out;
}

// ThreadSanitizer ends a child of fork that starts a thread (g++ 12: "dup thread with used id", die_after_fork=0 or not).
#ifdef __SANITIZE_THREAD__
constexpr bool child_starts_a_thread = false;
#else
constexpr bool child_starts_a_thread = true;
#endif

TEST(Lifetime, AChildOfForkOpensItsOwnAndTheParentsGoesOn) {
    const gputide_api_table& api = *gputide_api(GPUTIDE_ABI_VERSION, nullptr);
    const gputide_runtime_options options = without_spread();
    gputide_runtime* parents = nullptr;
    ASSERT_EQ(api.runtime_new(&options, &parents, nullptr), GPUTIDE_OK);
    ASSERT_EQ(api.runtime_start(parents, nullptr), GPUTIDE_OK);
    // Its thread is up: AddressSanitizer holds a lock of its own while one starts, and a child of that moment starts none.
    ASSERT_EQ(one_event(api, parents), 0);
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

// Does what a collector does in a child without being asked, and what a careless host does; 0: all as the header says.
int handles_of_the_parent(gputide_policy* policy, gputide_state* state, gputide_scaler* scaler,
                          gputide_runtime* runtime, gputide_log_reader* reader) {
    auto next = sized<gputide_decision>();
    const double number = 42.5;
    std::uint64_t id = 0;
    owned_text text;
    if (gputide_decide_values(policy, state, start_ms, 3, &number, 1, &next, nullptr) != GPUTIDE_E_STATE) return 1;
    if (gputide_state_save(policy, state, &text.value, nullptr) != GPUTIDE_E_STATE) return 2;
    if (gputide_scaler_describe(scaler, &text.value, nullptr) != GPUTIDE_E_STATE) return 3;
    if (gputide_runtime_find(runtime, "default/demo", &id, nullptr) != GPUTIDE_E_STATE) return 4;
    if (gputide_log_next(reader, 0, nullptr, &text.value, nullptr, nullptr) != GPUTIDE_E_STATE) return 5;
    gputide_log_close(reader);
    gputide_log_free(reader);
    gputide_runtime_free(runtime);
    gputide_scaler_free(scaler);
    gputide_policy_free(policy);
    gputide_state_free(state);
    gputide_policy* own = nullptr;
    if (gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &own, nullptr) != GPUTIDE_OK) return 6;
    if (gputide_policy_describe(own, &text.value, nullptr) != GPUTIDE_OK) return 7;
    gputide_policy_free(own);
    return 0;
}

TEST(Lifetime, HandlesBelongToTheirProcess) {
    gputide_policy* policy = nullptr;
    gputide_state* state = nullptr;
    gputide_scaler* scaler = nullptr;
    gputide_runtime* runtime = nullptr;
    gputide_log_reader* reader = nullptr;
    ASSERT_EQ(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &policy, nullptr), GPUTIDE_OK);
    ASSERT_EQ(gputide_state_new(policy, 0, &state, nullptr), GPUTIDE_OK);
    ASSERT_EQ(gputide_scaler_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &scaler, nullptr), GPUTIDE_OK);
    ASSERT_EQ(gputide_runtime_new(nullptr, &runtime, nullptr), GPUTIDE_OK);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // a thread beside the fork: see below
    ASSERT_EQ(gputide_runtime_start(runtime, nullptr), GPUTIDE_OK);
#endif
    ASSERT_EQ(gputide_log_open(GPUTIDE_LOG_ERROR, &reader, nullptr), GPUTIDE_OK);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(handles_of_the_parent(policy, state, scaler, runtime, reader));
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    // The parent's own go on; freed in an unusual order.
    auto next = sized<gputide_decision>();
    const double number = 42.5;
    EXPECT_EQ(gputide_decide_values(policy, state, start_ms, 3, &number, 1, &next, nullptr), GPUTIDE_OK);
    gputide_policy_free(policy);
    gputide_runtime_free(runtime);
    gputide_log_free(reader);
    gputide_scaler_free(scaler);
    gputide_state_free(state);
}

// A collector closes and frees; a host waits: in a child neither hangs.
TEST(Lifetime, AParentsRuntimeIsOfNoUseInAChildAndFreeingItThereIsHarmless) {
    const gputide_api_table& api = *gputide_api(GPUTIDE_ABI_VERSION, nullptr);
    gputide_runtime* parents = nullptr;
    std::uint64_t id = 0;
    ASSERT_EQ(api.runtime_new(nullptr, &parents, nullptr), GPUTIDE_OK);
    ASSERT_EQ(api.runtime_add(parents, pushed_manifest, GPUTIDE_TEXT, nullptr, 0, &id, nullptr), GPUTIDE_OK);
    ASSERT_EQ(api.runtime_start(parents, nullptr), GPUTIDE_OK);
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(30);  // a child that hangs has failed
        std::uint64_t found = 0;
        auto event = sized<gputide_event>();
        const bool refused = api.runtime_find(parents, "default/demo", &found, nullptr) == GPUTIDE_E_STATE &&
                             api.runtime_next_event(parents, GPUTIDE_FOREVER, nullptr, &event, nullptr, nullptr,
                                                    nullptr) == GPUTIDE_E_STATE &&
                             api.runtime_stop(parents, 0, nullptr) == GPUTIDE_E_STATE &&
                             api.runtime_close(parents, GPUTIDE_FOREVER, nullptr) == GPUTIDE_E_STATE;
        api.runtime_free(parents);
        ::_exit(refused ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(api.runtime_find(parents, "default/demo", &id, nullptr), GPUTIDE_OK) << "the parent's goes on";
    EXPECT_EQ(api.runtime_close(parents, 10'000, nullptr), GPUTIDE_OK);
    api.runtime_free(parents);
}

// A lock of the library that another thread holds while the process forks is never given back in the child.  The sanitizers'
// allocators have such locks of their own (GCC 12 does not hold them over a fork), so that a child may wait for ever in malloc.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST(Lifetime, AForkInTheMiddleOfAnOpening) {
    std::atomic<bool> over{false};
    std::thread opening([&] {
        while (!over) {
            gputide_source* source = nullptr;
            EXPECT_EQ(gputide_source_open(prometheus_trigger, GPUTIDE_TEXT, nullptr, &source, nullptr), GPUTIDE_OK);
            gputide_source_free(source);
        }
    });
    for (int i = 0; i < 100 && !HasFailure(); ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(30);
            gputide_source* source = nullptr;
            ::_exit(gputide_source_open(prometheus_trigger, GPUTIDE_TEXT, nullptr, &source, nullptr));
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status)) << "the child hung in its opening, fork " << i;
        EXPECT_EQ(WEXITSTATUS(status), GPUTIDE_OK);
    }
    over = true;
    opening.join();
}
#endif

TEST(Lifetime, FreeStopsARunningThread) {
    for (int i = 0; i < 20; ++i) {
        gputide_runtime* runtime = nullptr;
        ASSERT_EQ(gputide_runtime_new(nullptr, &runtime, nullptr), GPUTIDE_OK);
        ASSERT_EQ(gputide_runtime_start(runtime, nullptr), GPUTIDE_OK);
        gputide_runtime_free(runtime);
    }
}

}  // namespace
