// A driver that hangs: waiting callers are told in time, later ones at once, and none once it answers again.
#include "source/gpu/driver.hpp"
#include "support/fake_nvml.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <thread>

namespace gputide {
namespace {

namespace nvml = source::nvml;

class Reader : public ::testing::Test {
  protected:
    testing::fake_nvml machine;
    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    std::shared_ptr<nvml::driver> driver =
        std::make_shared<nvml::driver>([this] { return testing::load_fake(machine); });
    std::shared_ptr<nvml::reader> reader = std::make_shared<nvml::reader>(driver);
    std::promise<void> entered;
    std::promise<void> answer;

    void SetUp() override {
        machine.has_gpm = machine.has_samples = false;  // the call for utilization is the one that hangs
        machine.add("GPU-0").busy = 30;
    }

    void hang() {
        machine.before_busy = [this] {
            machine.before_busy = nullptr;
            entered.set_value();
            answer.get_future().wait();
        };
    }

    std::shared_ptr<http::exchange> read(std::optional<result<nvml::readings>>& into) {
        const nvml::reading_plan plan{nvml::quantity_named("gpu_utilization"), {}, 1'760'000'000'000, {}, nullptr};
        return reader->read(loop, plan, loop->steady_ms() + 2'000,
                            [&into](result<nvml::readings> got) { into.emplace(std::move(got)); });
    }

    // Read again until the thread has had the time to answer: the loop's own time is virtual, and would run to the deadline.
    std::optional<result<nvml::readings>> read_whole() {
        for (int tries = 0; tries < 500; ++tries) {
            std::optional<result<nvml::readings>> got;
            const auto under_way = read(got);
            EXPECT_FALSE(got) << "done ran inside the call";
            constexpr std::size_t timer_and_answer = 2;
            for (int waits = 0; waits < 20 && loop->pending() < timer_and_answer; ++waits)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            loop->run_until_idle();
            if (got && *got) return got;
        }
        return std::nullopt;
    }
};

TEST_F(Reader, AnAnswerComesOnTheLoop) {
    const auto got = read_whole();
    ASSERT_TRUE(got);
    EXPECT_EQ((*got)->values.front().value, 30.0);
}

TEST_F(Reader, AHungDriverStopsNobodyElse) {
    hang();
    std::optional<result<nvml::readings>> first;
    const auto under_way = read(first);
    entered.get_future().wait();
    loop->run_until_idle();  // time passes, and the loop is free
    ASSERT_TRUE(first);
    ASSERT_FALSE(*first);
    EXPECT_EQ(first->failure().status, status::timeout);
    EXPECT_EQ(first->failure().service_code, "nvml_hangs");
    EXPECT_TRUE(first->failure().retryable);

    std::optional<result<nvml::readings>> second;
    const std::int64_t before_ms = loop->steady_ms();
    const auto at_once = read(second);
    EXPECT_FALSE(second) << "done ran inside the call";
    loop->run_until_idle();
    ASSERT_TRUE(second);
    EXPECT_EQ(loop->steady_ms(), before_ms) << "it waited";
    EXPECT_EQ(second->failure().service_code, "nvml_hangs");
    EXPECT_NE(second->failure().message.find("2s"), std::string::npos) << second->failure().message;

    answer.set_value();
    const auto third = read_whole();
    ASSERT_TRUE(third) << "no reading after the driver came back";
    EXPECT_EQ((*third)->values.front().value, 30.0);
}

TEST_F(Reader, EndsWithItsTriggersThoughTheDriverHangs) {
    hang();
    std::optional<result<nvml::readings>> got;
    const auto under_way = read(got);
    entered.get_future().wait();
    under_way->cancel();
    loop->run_until_idle();
    EXPECT_FALSE(got);
    driver = nullptr;
    reader = nullptr;  // joins nothing that hangs
    answer.set_value();
    while (machine.shutdowns == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    loop->run_until_idle();  // the late answer, which is not heard
    EXPECT_FALSE(got);
}

}  // namespace
}  // namespace gputide
