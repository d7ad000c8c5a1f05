// One acquisition over a scripted loop, for the tests of credentials.
#pragma once

#include "auth/credential.hpp"
#include "fake_surroundings.hpp"
#include "support/scripted_loop.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

namespace gputide::test {

inline constexpr std::int64_t no_deadline = std::numeric_limits<std::int64_t>::max();

class Acquiring : public ::testing::Test {
  protected:
    std::shared_ptr<gputide::testing::scripted_loop> loop = std::make_shared<gputide::testing::scripted_loop>();
    std::shared_ptr<fake_surroundings> host = std::make_shared<fake_surroundings>();
    auth::host_permissions permissions;

    result<auth::token> acquire(auth::credential& from, const std::string& scope = "https://r/.default",
                                std::int64_t deadline_ms = no_deadline) {
        std::optional<result<auth::token>> got;
        bool inside = true;
        from.acquire(*loop, scope, deadline_ms, [&](result<auth::token> what) {
            EXPECT_FALSE(inside) << "done ran inside acquire()";
            EXPECT_FALSE(got) << "done ran twice";
            got = std::move(what);
        });
        inside = false;
        loop->run_until_idle();
        EXPECT_TRUE(got);
        return got ? *std::move(got) : result<auth::token>(error{});
    }

    std::string value_of(const result<auth::token>& got) const {
        return got ? std::string(got->value.reveal())
                   : "(" + std::string(class_word(got.failure().error_class)) + ") " + got.failure().message;
    }
};

inline std::string message_of(const auto& got) { return got ? "(it worked)" : got.failure().message; }

inline void expect_text(const std::string& in, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(in.find(part), std::string::npos) << part << " is missing in: " << in;
}

}  // namespace gputide::test
