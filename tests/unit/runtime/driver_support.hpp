// A driver for tests that need its real thread.
#pragma once

#include "runtime/driver/driver.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

namespace gputide::runtime {

// The time that a busy machine may take; nothing here waits for it where all is well.
inline constexpr std::int64_t test_timeout_ms = 60'000;

inline std::unique_ptr<driver> opened(fleet_options options = {}) {
    options.start_spread_ms = 1;
    auto out = driver::open(options);
    EXPECT_TRUE(out) << (out ? "" : out.failure().message);
    return *std::move(out);
}

}  // namespace gputide::runtime
