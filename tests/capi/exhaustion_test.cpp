// Memory runs out at every single allocation of a call, one after the other: each time a status, no leak, no crash, and the
// handles go on working.
#include "support.hpp"
#include "support/silent_peer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <string>

namespace {

// Allocations left until one fails; negative: none fails.
std::atomic<long> allowed{-1};

void* allocate(std::size_t size) {
    if (allowed.load() == 0) throw std::bad_alloc();
    if (allowed.load() > 0) --allowed;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}

void* allocate_or_null(std::size_t size) noexcept {
    try {
        return allocate(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace {

// Calls `once` with the n-th allocation failing, for n = 0, 1, 2, ... until it gets through.
void exhaust(const std::function<gputide_status()>& once) {
    // Things that libraries below do once per process: simdjson picks its kernel in a function that may not throw.
    ASSERT_EQ(once(), GPUTIDE_OK);
    for (long n = 0; n < 100'000; ++n) {
        allowed = n;
        const gputide_status got = once();
        const bool failed_here = allowed.load() == 0;
        allowed = -1;
        if (!failed_here) {
            EXPECT_EQ(got, GPUTIDE_OK);
            EXPECT_GT(n, 0) << "the call allocates nothing: this test shows nothing";
            return;
        }
        ASSERT_TRUE(got == GPUTIDE_OK || got == GPUTIDE_E_NO_MEMORY)
            << gputide_status_name(got) << " at allocation " << n;
    }
    FAIL() << "it never got through";
}

struct handles {
    gputide_policy* policy = nullptr;
    gputide_state* state = nullptr;
    handles() {
        EXPECT_EQ(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &policy, nullptr), GPUTIDE_OK);
        EXPECT_EQ(gputide_state_new(policy, 0, &state, nullptr), GPUTIDE_OK);
    }
    handles(const handles&) = delete;
    handles& operator=(const handles&) = delete;
    ~handles() {
        gputide_state_free(state);
        gputide_policy_free(policy);
    }
};

TEST(Exhaustion, PolicyOpen) {
    exhaust([] {
        gputide_policy* policy = nullptr;
        const gputide_status got = gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &policy, nullptr);
        gputide_policy_free(policy);
        return got;
    });
}

TEST(Exhaustion, ManifestCheck) {
    exhaust([] {
        owned_text report;
        return gputide_manifest_check(pushed_manifest, GPUTIDE_TEXT, nullptr, &report.value, nullptr, nullptr);
    });
}

TEST(Exhaustion, DecideWithReport) {
    handles with;
    const gputide_sample sample = sample_of(42.5);
    gputide_observation seen = seen_of(sample, 3);
    exhaust([&] {
        seen.now_ms += 3'600'000;
        auto next = sized<gputide_decision>();
        owned_text report;
        return gputide_decide(with.policy, with.state, &seen, &next, &report.value, nullptr);
    });
}

// Decides with the n-th allocation failing, n = 0, 1, 2, ..., each time on a handle that has just been opened: what fails
// leaves what it remembers as it was.
template <class Handle>
void expect_unmoved(const std::function<Handle*()>& open, const std::function<gputide_status(Handle*)>& decide,
                    const std::function<std::string(Handle*)>& saved, void (*end)(Handle*)) {
    bool failed_here = true;
    for (long n = 0; failed_here && n < 1'000; ++n) {
        Handle* const handle = open();
        const std::string before = saved(handle);
        allowed = n;
        const gputide_status status = decide(handle);
        failed_here = allowed.load() == 0;
        allowed = -1;
        EXPECT_EQ(saved(handle) == before, status != GPUTIDE_OK) << "allocation " << n;
        end(handle);
    }
    EXPECT_FALSE(failed_here) << "it never got through";
}

TEST(Exhaustion, AFailedDecisionMovesNoState) {
    handles with;
    const gputide_sample sample = sample_of(42.5);
    const gputide_observation seen = seen_of(sample, 3);
    for (const bool wants_report : {true, false}) {
        expect_unmoved<gputide_state>(
            [&] {
                gputide_state* state = nullptr;
                EXPECT_EQ(gputide_state_new(with.policy, 0, &state, nullptr), GPUTIDE_OK);
                return state;
            },
            [&](gputide_state* state) {
                auto next = sized<gputide_decision>();
                owned_text report;
                return gputide_decide(with.policy, state, &seen, &next, wants_report ? &report.value : nullptr,
                                      nullptr);
            },
            [&](gputide_state* state) {
                owned_text text;
                EXPECT_EQ(gputide_state_save(with.policy, state, &text.value, nullptr), GPUTIDE_OK);
                return text.str();
            },
            gputide_state_free);
    }
}

TEST(Exhaustion, AFailedDecisionMovesNoScaler) {
    const gputide_sample sample = sample_of(42.5);
    const gputide_observation seen = seen_of(sample, 3);
    for (const bool wants_report : {true, false}) {
        expect_unmoved<gputide_scaler>(
            [&] {
                gputide_scaler* scaler = nullptr;
                EXPECT_EQ(gputide_scaler_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &scaler, nullptr), GPUTIDE_OK);
                return scaler;
            },
            [&](gputide_scaler* scaler) {
                auto next = sized<gputide_decision>();
                owned_text report;
                return gputide_scaler_tick(scaler, &seen, 60'000, nullptr, &next,
                                           wants_report ? &report.value : nullptr, nullptr);
            },
            [&](gputide_scaler* scaler) {
                owned_text text;
                EXPECT_EQ(gputide_scaler_save(scaler, &text.value, nullptr), GPUTIDE_OK);
                return text.str();
            },
            gputide_scaler_free);
    }
}

TEST(Exhaustion, SaveAndLoad) {
    handles with;
    exhaust([&] {
        owned_text saved;
        gputide_state* loaded = nullptr;
        gputide_status got = gputide_state_save(with.policy, with.state, &saved.value, nullptr);
        if (got == GPUTIDE_OK) {
            got = gputide_state_load(with.policy, saved.value.data, GPUTIDE_TEXT, 0, &loaded, nullptr);
        }
        gputide_state_free(loaded);
        return got;
    });
}

// A whole life in each round; next to that, a runtime that lives through all of them and must lose nothing.
TEST(Exhaustion, ForecastSaveAndLoad) {
    gputide_forecast* forecast = nullptr;
    ASSERT_EQ(gputide_forecast_open(nullptr, 0, &forecast, nullptr), GPUTIDE_OK);
    exhaust([&] {
        gputide_forecast* other = nullptr;
        gputide_status got = gputide_forecast_open("{\"lead_ms\":600000}", GPUTIDE_TEXT, &other, nullptr);
        owned_text text;
        if (got == GPUTIDE_OK) got = gputide_forecast_save(other, &text.value, nullptr);
        if (got == GPUTIDE_OK)
            got =
                gputide_forecast_load(forecast, text.value.data, static_cast<int64_t>(text.value.size_bytes), nullptr);
        gputide_forecast_free(other);
        return got;
    });
    gputide_forecast_free(forecast);
}

TEST(Exhaustion, RuntimeFromOpenToEvent) {
    const gputide_sample value = sample_of(42.5);
    gputide_observation seen = seen_of(value, 3);
    auto options = sized<gputide_runtime_options>();
    options.flags = GPUTIDE_RUNTIME_REPORTS;
    options.start_spread_ms = 1;
    exhaust([&] {
        gputide_runtime* runtime = nullptr;
        uint64_t id = 0;
        auto event = sized<gputide_event>();
        owned_text report, stats;
        gputide_status got = gputide_runtime_new(&options, &runtime, nullptr);
        if (got == GPUTIDE_OK) {
            got = gputide_runtime_add(runtime, pushed_manifest, GPUTIDE_TEXT, nullptr, 0, &id, nullptr);
        }
        if (got == GPUTIDE_OK) got = gputide_runtime_observe(runtime, id, &seen, nullptr);
        if (got == GPUTIDE_OK) got = gputide_runtime_step(runtime, 1795255200000, nullptr, nullptr);
        if (got == GPUTIDE_OK) {
            got = gputide_runtime_next_event(runtime, 0, nullptr, &event, nullptr, &report.value, nullptr);
        }
        if (got == GPUTIDE_OK) got = gputide_runtime_stats(runtime, &stats.value, nullptr);
        gputide_runtime_free(runtime);
        return got;
    });
}

TEST(Exhaustion, ARuntimeLosesNoScaler) {
    auto options = sized<gputide_runtime_options>();
    options.flags = GPUTIDE_RUNTIME_EVERY_DECISION | GPUTIDE_RUNTIME_REPORTS;
    options.start_spread_ms = 1;
    options.poll_timeout_ms = 1;
    gputide_runtime* runtime = nullptr;
    uint64_t id = 0;
    ASSERT_EQ(gputide_runtime_new(&options, &runtime, nullptr), GPUTIDE_OK);
    ASSERT_EQ(gputide_runtime_add(runtime, pushed_manifest, GPUTIDE_TEXT, nullptr, 0, &id, nullptr), GPUTIDE_OK);
    const gputide_sample value = sample_of(42.5);
    gputide_observation seen = seen_of(value, 3);
    ASSERT_EQ(gputide_runtime_observe(runtime, id, &seen, nullptr), GPUTIDE_OK);
    int64_t now_ms = 1795255200000;
    auto event = sized<gputide_event>();
    for (long n = 0; n < 200; ++n) {
        now_ms += 30'000;
        allowed = n;
        const gputide_status got = gputide_runtime_step(runtime, now_ms, nullptr, nullptr);
        const gputide_status told = gputide_runtime_next_event(runtime, 0, nullptr, &event, nullptr, nullptr, nullptr);
        allowed = -1;
        ASSERT_TRUE(got == GPUTIDE_OK || got == GPUTIDE_E_NO_MEMORY) << gputide_status_name(got);
        ASSERT_TRUE(told == GPUTIDE_OK || told == GPUTIDE_E_NO_DATA || told == GPUTIDE_E_NO_MEMORY);
    }
    // A request that was cut off in the middle is found again two seconds after its time; the real clock counts that.
    bool polled = false;
    for (int i = 0; i < 100 && !polled; ++i) {
        now_ms += 30'000;
        ASSERT_EQ(gputide_runtime_step(runtime, now_ms, nullptr, nullptr), GPUTIDE_OK);
        polled = gputide_runtime_next_event(runtime, 100, nullptr, &event, nullptr, nullptr, nullptr) == GPUTIDE_OK;
    }
    EXPECT_TRUE(polled);
    gputide_runtime_free(runtime);
}

TEST(Exhaustion, NodesPlan) {
    exhaust([] {
        const char* cluster = R"({"pools":[{"id":"gpu","max":3,"allocatable":{"cpu":4000,"nvidia.com/gpu":1}}],
            "groups":[{"name":"jobs","count":5,"pod":{"requests":{"nvidia.com/gpu":1}}}]})";
        owned_text json, next;
        const gputide_status got =
            gputide_nodes_plan(cluster, GPUTIDE_TEXT, nullptr, 0, start_ms, nullptr, &json.value, &next.value, nullptr);
        // An item that was not read for want of memory would be missing without a word.
        const bool whole = got != GPUTIDE_OK || std::strstr(json.value.data, "\"on_new\":3") != nullptr;
        return whole ? got : GPUTIDE_E_BUG;
    });
}

TEST(Exhaustion, SourceOpenRequestParse) {
    exhaust([] {
        gputide_source* source = nullptr;
        owned_text request;
        auto entry = sized<gputide_sample>();
        gputide_status got = gputide_source_open(prometheus_trigger, GPUTIDE_TEXT, nullptr, &source, nullptr);
        if (got == GPUTIDE_OK) got = gputide_source_request(source, 1795255200000, &request.value, nullptr);
        if (got == GPUTIDE_OK) {
            const char* body =
                R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]}]}})";
            got = gputide_source_parse(source, 200, body, GPUTIDE_TEXT, &entry, nullptr);
        }
        gputide_source_free(source);
        return got;
    });
}

// It is unknown what a free that failed would mean, so it needs no memory: from the first allocation on, each fails.
class no_memory {
  public:
    no_memory() { allowed = 0; }
    no_memory(const no_memory&) = delete;
    no_memory& operator=(const no_memory&) = delete;
    ~no_memory() { allowed = -1; }
};

TEST(Exhaustion, FreeingNeedsNoMemory) {
    const gputide::testing::silent_peer peer;
    const std::string trigger = R"x({"type":"prometheus","metadata":{"serverAddress":")x" + peer.url() +
                                R"x(","query":"up","threshold":"5"}})x";
    gputide_source* source = nullptr;
    ASSERT_EQ(gputide_source_open(trigger.c_str(), GPUTIDE_TEXT, nullptr, &source, nullptr), GPUTIDE_OK);
    auto entry = sized<gputide_sample>();
    EXPECT_EQ(gputide_source_fetch(source, start_ms, 100, nullptr, &entry, nullptr), GPUTIDE_E_TIMEOUT);
    {
        const no_memory here;
        gputide_source_free(source);
    }

    const std::string identity =
        "kind: TriggerAuthentication\napiVersion: keda.sh/v1alpha1\nmetadata: {name: a}\nspec:\n"
        "  podIdentity:\n    provider: azure-client-secret\n"
        "    identityId: 00000000-0000-0000-0000-00000000000b\n"
        "    identityTenantId: 00000000-0000-0000-0000-00000000000a\n"
        "    identityAuthorityHost: https" +
        peer.url().substr(4) +
        "\n"
        "  secretTargetRef:\n    - {parameter: clientSecret, name: s, key: k}\n---\n"
        "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: secret}\n";
    auto options = sized<gputide_options>();
    options.flags = GPUTIDE_ALLOW_CUSTOM_AUTHORITY;
    gputide_credential* credential = nullptr;
    auto err = sized<gputide_error>();
    ASSERT_EQ(gputide_credential_open(identity.c_str(), GPUTIDE_TEXT, &options, &credential, &err), GPUTIDE_OK)
        << err.message;
    owned_text token;
    auto info = sized<gputide_token_info>();
    EXPECT_NE(gputide_credential_token(credential, "https://x/.default", 100, nullptr, &token.value, &info, nullptr),
              GPUTIDE_OK);
    {
        const no_memory here;
        gputide_credential_free(credential);
    }
}

// Requests, retries and timers are under way when it goes.
TEST(Exhaustion, FreeingABusyRuntimeNeedsNoMemory) {
    const gputide::testing::silent_peer peer;
    for (const bool has_thread : {false, true}) {
        auto options = sized<gputide_runtime_options>();
        options.start_spread_ms = 1;
        gputide_runtime* runtime = nullptr;
        ASSERT_EQ(gputide_runtime_new(&options, &runtime, nullptr), GPUTIDE_OK);
        const gputide_sample value = sample_of(1);
        gputide_observation seen = seen_of(value, 3);
        seen.sample_count = 0;
        seen.samples = nullptr;
        for (int i = 0; i < 20; ++i) {
            const std::string manifest =
                R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"a)" + std::to_string(i) +
                R"("},"spec":{"scaleTargetRef":{"name":"d)" + std::to_string(i) +
                R"("},"triggers":[{"type":"prometheus","metadata":{
                                         "serverAddress":")" +
                peer.url() + R"(","query":"q)" + std::to_string(i) + R"(","threshold":"5"}}]}})";
            uint64_t id = 0;
            ASSERT_EQ(gputide_runtime_add(runtime, manifest.c_str(), GPUTIDE_TEXT, nullptr, 0, &id, nullptr),
                      GPUTIDE_OK);
            ASSERT_EQ(gputide_runtime_observe(runtime, id, &seen, nullptr), GPUTIDE_OK);
        }
        if (has_thread) {
            ASSERT_EQ(gputide_runtime_start(runtime, nullptr), GPUTIDE_OK);
            ::usleep(100'000);
        } else {
            for (int i = 0; i < 5; ++i) {
                ASSERT_EQ(gputide_runtime_step(runtime, start_ms + i * 100, nullptr, nullptr), GPUTIDE_OK);
            }
        }
        const no_memory here;
        gputide_runtime_free(runtime);
    }
}

}  // namespace
