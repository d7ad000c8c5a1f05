// A saved state with changed numbers, with its checksum made right: it is refused, or what is saved of it loads again, also
// after decisions on it.
#include "base/checksum.hpp"
#include "decide/state/text.hpp"
#include "dice.hpp"
#include "forecast_scene.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::decide {
namespace {

using scene::driven;
using scene::value;

// Returns where each number of the text begins and ends; what stands in quotes is none.
struct place {
    std::size_t begin = 0, end = 0;
};
std::vector<place> numbers_of(std::string_view text) {
    std::vector<place> out;
    bool is_quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\\') {
            ++at;
        } else if (text[at] == '"') {
            is_quoted = !is_quoted;
        } else if (!is_quoted && (text[at] == '-' || std::isdigit(static_cast<unsigned char>(text[at])) != 0)) {
            const std::size_t end = text.find_first_not_of("+-.0123456789eE", at);
            out.push_back({at, end});
            at = end - 1;
        }
    }
    return out;
}

constexpr std::array<std::string_view, 24> odd_numbers{"0",
                                                       "-0",
                                                       "1",
                                                       "-1",
                                                       "7",
                                                       "4096",
                                                       "2147483647",
                                                       "-2147483648",
                                                       "2147483648",
                                                       "4294967295",
                                                       "4294967296",
                                                       "1800000000000",
                                                       "9e15",
                                                       "1e300",
                                                       "-1e300",
                                                       "5e-324",
                                                       "0.5",
                                                       "nan",
                                                       "inf",
                                                       "1e400",
                                                       "-1.5",
                                                       "00",
                                                       "9000000000000000",
                                                       "-9000000000000000"};

// A decision now and one later, with and without numbers, and a record of each.
void expect_lasts(const policy& by, const std::string& text, const std::string& changed) {
    result<state> first = load_state(by, text);
    if (!first) return;
    driven scaler(by, 3);
    scaler.with = *std::move(first);
    for (const std::int64_t at : {0, 15'000, 700'000}) {
        const std::string saved = save_state(by, scaler.with);
        const result<state> again = load_state(by, saved);
        ASSERT_TRUE(again.ok()) << again.failure().message << "\n" << changed << "\nat " << at << ": " << saved;
        ASSERT_EQ(save_state(by, *again), saved) << changed;
        std::vector<sample> samples(by.metrics.size(), scene::no_value(sample_state::timeout));
        if (at == 15'000) samples.assign(by.metrics.size(), value(31.0));
        scaler.tick(at, samples);
    }
    EXPECT_TRUE(load_state(by, save_state(by, scaler.with)).ok()) << changed;
}

// In a flat list, with three more on each side: the slots of a day are alike.
bool is_inside_a_run(const std::vector<place>& numbers, std::size_t at) {
    if (at < 3 || at + 3 >= numbers.size()) return false;
    for (std::size_t next = at - 2; next <= at + 3; ++next) {
        if (numbers[next].begin != numbers[next - 1].end + 1) return false;
    }
    return true;
}

// stride: each number is replaced by one odd number in so many, and its neighbor by other ones.
void expect_all_last(const driven& scaler, std::size_t stride = 1) {
    const std::string text = save_state(scaler.by, scaler.with);
    const std::string body(*unsealed(text));
    const std::vector<place> numbers = numbers_of(body);
    for (std::size_t at = 0; at < numbers.size(); ++at) {
        if (is_inside_a_run(numbers, at)) continue;
        const place& number = numbers[at];
        for (std::size_t next = at % stride; next < odd_numbers.size(); next += stride) {
            const std::string_view odd = odd_numbers[next];
            std::string changed = body;
            changed.replace(number.begin, number.end - number.begin, odd);
            expect_lasts(scaler.by, sealed(changed), changed.substr(number.begin > 40 ? number.begin - 40 : 0, 100));
            if (::testing::Test::HasFailure()) return;
        }
    }
}

policy policy_with_everything() {
    policy by = scene::scaled_object(0);
    by.scaling.behavior = scene::default_behavior();
    by.scaling.fallback = manifest::fallback{3, 6};
    by.fallback_on = true;
    by.scaling.extra.confirm_n = 3;
    by.scaling.extra.confirm_k = 2;
    by.metrics.push_back(scene::metric("s1", 7000));
    return by;
}

driven after_minutes(policy by, std::int64_t minutes) {
    driven scaler(std::move(by), 2);
    for (std::int64_t at = -minutes * 60'000; at < 0; at += 15'000) {
        std::vector<sample> samples(scaler.by.metrics.size(), scene::no_value(sample_state::timeout));
        samples.front() = value(10.1 + static_cast<double>(-at / 15'000 % 7));
        scaler.tick(at, samples);
    }
    return scaler;
}

TEST(StateMutation, EveryNumberOfAScaledObject) { expect_all_last(after_minutes(policy_with_everything(), 6)); }

TEST(StateMutation, EveryNumberOfAnHpa) {
    policy by = scene::hpa();
    by.scaling.behavior = scene::default_behavior();
    expect_all_last(after_minutes(std::move(by), 6));
}

TEST(StateMutation, EveryNumberOfAForecast) {
    expect_all_last(after_minutes(scene::with_forecast(manifest::forecast_mode::act), 70), 5);
}

// Several at once: a sum or an order that one number alone does not break.
TEST(StateMutation, ManyNumbersAtOnce) {
    const driven scaler = after_minutes(policy_with_everything(), 6);
    const std::string body(*unsealed(save_state(scaler.by, scaler.with)));
    const std::vector<place> numbers = numbers_of(body);
    dice roll(11);
    for (int round = 0; round < 3'000 && !HasFailure(); ++round) {
        std::string changed = body;
        for (std::size_t at = numbers.size(); at-- > 0;) {  // from the end, so that places stay true
            if (!roll.one_in(8)) continue;
            const std::string_view odd = odd_numbers[static_cast<std::size_t>(
                roll.between(0, static_cast<std::int32_t>(odd_numbers.size()) - 1))];
            changed.replace(numbers[at].begin, numbers[at].end - numbers[at].begin, odd);
        }
        expect_lasts(scaler.by, sealed(changed), changed);
    }
}

}  // namespace
}  // namespace gputide::decide
