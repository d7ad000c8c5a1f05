// Eight threads at once on one runtime: add, remove, replace, iterate, push, observe, record, describe, and in the end close.
// Shows its faults under ThreadSanitizer; here that no waiter is lost, stuck or told nonsense.
#include "driver_support.hpp"
#include "fleet_support.hpp"
#include "runtime/driver/driver.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

namespace gputide::runtime {
namespace {

constexpr int rounds = 150;

std::int64_t unix_now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

class crowd {
  public:
    explicit crowd(driver& runtime) : runtime_(runtime) {}

    void comes_and_goes(int thread) {
        for (int i = 0; i < rounds; ++i) {
            const std::string name = "demo-" + std::to_string(thread) + "-" + std::to_string(i);
            const auto id = scalers().add(world::spec_of(pushed(name)), {}, static_cast<std::uint64_t>(i));
            if (!id) return ADD_FAILURE() << id.failure().message;
            EXPECT_TRUE(scalers().observe(*id, size_of(3)));
            EXPECT_EQ(*scalers().find("default/" + name), *id);
            if (i % 3 == 0) {
                EXPECT_TRUE(scalers().replace(*id, world::spec_of(pushed(name)), {}));
            }
            if (i % 2 == 0) {
                EXPECT_TRUE(scalers().remove(*id));
            }
        }
    }

    // The numbers that others are removing at this moment are not found, and nothing worse.
    void looks_around() {
        while (!over_) {
            std::set<scaler_id> seen;
            for (auto next = scalers().next_scaler(0); next; next = scalers().next_scaler(*next)) {
                EXPECT_TRUE(seen.insert(*next).second) << "one came twice";
                fine_or_gone(scalers().push(*next, {&value_, 1}));
                fine_or_gone(scalers().observe(*next, size_of(4)));
                if (const auto text = scalers().describe(*next); !text) {
                    EXPECT_EQ(text.failure().status, status::not_found);
                }
            }
            scalers().stats();
        }
    }

    void takes_events() {
        for (;;) {
            const call_count::call inside(runtime_.calls());
            if (!inside) return;
            auto event = runtime_.next_event(forever_ms, nullptr);
            if (!event) {
                EXPECT_EQ(event.failure().status, status::cancelled);
                return;
            }
            if (!*event) continue;
            ++taken_;
            decide::decision& decision = (*event)->decision;
            if (decision.desired_replicas == decision.current_replicas) continue;
            const auto recorded = scalers().record((*event)->id, decision, true, unix_now_ms());
            if (recorded) continue;
            // Removed meanwhile, or the other thread has recorded a newer decision.
            const status why = recorded.failure().status;
            EXPECT_TRUE(why == status::not_found || why == status::state) << recorded.failure().message;
        }
    }

    void finish() { over_ = true; }
    int taken() const { return taken_; }

  private:
    fleet& scalers() { return runtime_.scalers(); }
    static decide::observation size_of(std::int32_t replicas) {
        decide::observation out;
        out.now_ms = unix_now_ms();
        out.spec_replicas = replicas;
        return out;
    }
    static sample value() {
        sample out;
        out.state = sample_state::ok;
        out.value = 42.5;
        return out;
    }
    static void fine_or_gone(const result<void>& done) {
        if (!done) {
            EXPECT_EQ(done.failure().status, status::not_found) << done.failure().message;
        }
    }

    driver& runtime_;
    const sample value_ = value();
    std::atomic<bool> over_{false};
    std::atomic<int> taken_{0};
};

TEST(Threads, EightAtOnce) {
    fleet_options options;
    options.start_spread_ms = 1;
    auto opened = driver::open(options);
    ASSERT_TRUE(opened);
    driver& runtime = **opened;
    ASSERT_TRUE(runtime.start());
    crowd people(runtime);
    std::vector<std::thread> passing, staying;
    for (int thread = 0; thread < 4; ++thread) passing.emplace_back([&, thread] { people.comes_and_goes(thread); });
    for (int thread = 0; thread < 2; ++thread) staying.emplace_back([&] { people.looks_around(); });
    for (int thread = 0; thread < 2; ++thread) staying.emplace_back([&] { people.takes_events(); });
    for (std::thread& thread : passing) thread.join();
    people.finish();
    EXPECT_EQ(runtime.scalers().stats().scalers, 4U * rounds / 2);
    EXPECT_TRUE(runtime.close(test_timeout_ms));
    for (std::thread& thread : staying) thread.join();
    EXPECT_GT(people.taken(), 0);
}

}  // namespace
}  // namespace gputide::runtime
