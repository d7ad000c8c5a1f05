// A formula's value in one call, for tests.
#pragma once

#include "decide/formula/formula.hpp"
#include "decide/policy.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace test {

using namespace gputide::decide;

inline std::string compile_failure(std::string_view text, formula_mode mode = formula_mode::standard) {
    constexpr std::string_view names[] = {"a", "b", "gpu_util", "queue-depth"};
    const auto made = formula::compile(text, names, mode);
    return made ? "" : made.failure().message;
}

// a and b have the values given; the others are 0.
inline formula_result run(std::string_view text, std::optional<double> a = 2.0, std::optional<double> b = 3.0,
                          formula_mode mode = formula_mode::standard) {
    constexpr std::string_view names[] = {"a", "b"};
    const auto made = formula::compile(text, names, mode);
    if (!made) {
        ADD_FAILURE() << text << ": " << made.failure().message;
        return {};
    }
    const formula_variable values[] = {{a.value_or(0), !a}, {b.value_or(0), !b}};
    return made->evaluate(values);
}

inline void expect_value(std::string_view text, double expected, std::optional<double> a = 2.0,
                         std::optional<double> b = 3.0) {
    const formula_result got = run(text, a, b);
    EXPECT_EQ(got.failure.error, formula_error::none) << text << ": " << formula_failure_text(got.failure);
    EXPECT_FALSE(got.nil) << text;
    EXPECT_DOUBLE_EQ(got.value, expected) << text;
}

inline void expect_error(std::string_view text, formula_error expected, std::int32_t column,
                         std::optional<double> a = 2.0, std::optional<double> b = 3.0) {
    const formula_result got = run(text, a, b);
    EXPECT_EQ(got.failure.error, expected) << text << ": " << formula_failure_text(got.failure);
    EXPECT_EQ(got.failure.column, column) << text;
}

// Small policies for the tests of the executor half.

using namespace gputide::decide;
namespace manifest = gputide::manifest;

inline metric_policy external(const std::string& user_name, std::size_t at = 0) {
    metric_policy out;
    out.name = "s" + std::to_string(at) + "-prometheus";
    out.user_name = user_name;
    out.target_milli = 10'000;
    return out;
}

inline metric_policy cpu() {
    metric_policy out;
    out.name = "cpu";
    out.kind = metric_kind::resource;
    out.decides_activity = false;
    return out;
}

inline policy made(manifest::scaling spec, std::vector<metric_policy> metrics) {
    gputide::result<policy> out = make_policy(std::move(spec), std::move(metrics));
    if (!out) ADD_FAILURE() << out.failure().message;
    return out ? *std::move(out) : policy{};
}

inline manifest::scaling modified(const std::string& formula, const std::string& target = "2") {
    manifest::scaling out;
    out.name = "gpu";
    out.modifiers = manifest::scaling_modifiers{.formula = formula, .target = target};
    return out;
}

inline manifest::scaling strict(manifest::scaling from) {
    from.extra.profile = manifest::profile::strict;
    return from;
}

}  // namespace test
