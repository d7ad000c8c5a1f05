// Whole fetches of an nvml trigger on a driver of the tests' own.
#pragma once

#include "source/gpu/nvml.hpp"
#include "source/source.hpp"
#include "support/fake_nvml.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace gputide::testing {

inline constexpr std::int64_t noon_ms = 1'760'000'000'000;

class nvml_fetching : public ::testing::Test {
  protected:
    using metadata = std::map<std::string, std::string>;

    fake_nvml machine;
    std::shared_ptr<scripted_loop> loop = std::make_shared<scripted_loop>();
    std::shared_ptr<source::nvml::driver> gpus =
        std::make_shared<source::nvml::driver>([this] { return load_fake(machine); }, clock_of(machine));
    manifest::trigger_rules rules;
    source::services with;
    source::detail wanted = source::detail::value;

    // Reads at once, inside the call.
    static std::shared_ptr<source::nvml::reader> reader_of(const std::shared_ptr<source::nvml::driver>& driver) {
        return std::make_shared<source::nvml::reader>(driver, [](const callback<void()>& job) {
            job();
            return true;
        });
    }

    result<std::shared_ptr<source::metric_source>> open(const metadata& more) {
        manifest::trigger from;
        from.type = "nvml";
        from.metadata = {{"metric", "gpu_utilization"}, {"threshold", "80"}};
        for (const auto& [key, value] : more) from.metadata[key] = value;
        with.loop = loop;
        auto described = source::describe(from, rules, manifest::profile::standard, nullptr);
        if (!described) return std::move(described).failure();
        return source::nvml::open_on([this] { return reader_of(gpus); }, *described, with);
    }

    std::shared_ptr<source::metric_source> opened(const metadata& more) {
        auto made = open(more);
        EXPECT_TRUE(made) << (made ? "" : made.failure().message);
        return made ? *made : nullptr;
    }

    source::fetched fetch(const metadata& more = {}) {
        const auto from = opened(more);
        std::optional<source::fetched> out;
        const auto under_way = from->fetch(
            noon_ms, loop->steady_ms() + 10'000, [&](source::fetched got) { out = std::move(got); }, wanted);
        EXPECT_FALSE(out) << "done ran inside the call";
        loop->run_until_idle();
        EXPECT_TRUE(out);
        return out.value_or(source::fetched());
    }
};

}  // namespace gputide::testing
