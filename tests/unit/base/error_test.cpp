// Errors as values, results that hold them, their statuses and their detail as JSON; callbacks.
#include "base/error.hpp"

#include "base/callback.hpp"
#include "base/format_text.hpp"
#include "base/result.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gputide {

namespace {

TEST(Error, CarriesItsPlace) {
    const error plain = fail(status::invalid, "threshold: expected a number");
    EXPECT_EQ(plain.status, status::invalid);
    EXPECT_EQ(plain.message, "threshold: expected a number");
    EXPECT_TRUE(plain.where.empty());
    EXPECT_EQ(fail_at(status::limit, "so.yaml:3", "too deep")->where.text(), "so.yaml:3");
    const place threshold{"so.yaml", 20, 9, "spec.triggers[0].metadata.threshold"};
    EXPECT_EQ(fail_at(error_class::config, threshold, "")->where.text(),
              "so.yaml:20 spec.triggers[0].metadata.threshold");
}

TEST(Error, DetailHoldsClassAndFieldsInOrder) {
    error error = fail(status::auth, "refused");
    EXPECT_EQ(detail_json(error), "") << "an empty text is not an object";
    error.error_class = error_class::stale_assertion;
    EXPECT_EQ(detail_json(error), R"({"class":"stale_assertion"})");
    error.fields = {{"trace_id", "t-1"}, {"claims", "{\"a\":\"b\"}\n"}};
    EXPECT_EQ(detail_json(error), R"({"class":"stale_assertion","trace_id":"t-1","claims":"{\"a\":\"b\"}\n"})");
    error.error_class = error_class::none;
    EXPECT_EQ(detail_json(error), R"({"trace_id":"t-1","claims":"{\"a\":\"b\"}\n"})");
}

TEST(Error, DetailHasThePlaceInAText) {
    error error = fail_at(error_class::config, place{"so.yaml", 20, 9, "spec.bar"}, "wrong");
    EXPECT_EQ(detail_json(error), R"({"class":"config","file":"so.yaml","line":20,"column":9,"path":"spec.bar"})");
    error.where = named("trigger 0 (prometheus)");
    EXPECT_EQ(detail_json(error), R"({"class":"config"})") << "an object outside any text";
}

TEST(Error, DetailSaysHowLongToWait) {
    error error = fail(error_class::throttled, "busy");
    error.retry_after_ms = 3'000;
    error.past_deadline = true;
    EXPECT_EQ(detail_json(error), R"({"class":"throttled","deadline":"passed","retry_after_ms":3000})");
}

std::vector<error> one_of_every_class() {
    std::vector<error> out;
    for (int kind = 0; kind <= static_cast<int>(error_class::selector); ++kind) {
        out.push_back(fail(static_cast<error_class>(kind), "text"));
    }
    return out;
}

TEST(Error, EveryClassHasAWordAndAStatus) {
    for (const error& error : one_of_every_class()) {
        const bool says_nothing = error.error_class == error_class::none;
        EXPECT_EQ(class_word(error.error_class).empty(), says_nothing) << static_cast<int>(error.error_class);
        EXPECT_EQ(error.status == status::bug, says_nothing) << class_word(error.error_class);
        EXPECT_NE(error.status, status::ok) << class_word(error.error_class);
    }
}

// "Come back" is the advice exactly where the same call may work later, whatever the class and after every change.
TEST(Error, TheActionNeverContradictsRetryable) {
    std::vector<error> all = one_of_every_class();
    for (int code = 1; code <= static_cast<int>(status::bug); ++code)
        all.push_back(fail(static_cast<status>(code), "text"));
    for (error error : all) {
        for (const bool retryable : {error.retryable, false, true}) {
            error.retryable = retryable;
            const action next = action_of(error);
            const bool comes_back = next == action::retry || next == action::wait;
            const std::string about = status_name(error.status) + std::string(class_word(error.error_class));
            EXPECT_TRUE(retryable || !comes_back) << about;
            EXPECT_TRUE(!retryable || next != action::none) << about;
        }
    }
    error page = fail(error_class::not_json, "a sign-in page");
    EXPECT_EQ(action_of(page), action::fix_configuration);
    page.retryable = true;  // it was cut
    EXPECT_EQ(action_of(page), action::retry);
    EXPECT_EQ(action_of(fail(status::no_memory, "")), action::retry);
    EXPECT_EQ(action_of(fail(status::timeout, "")), action::retry);
}

TEST(Error, DetailIsJsonWhateverThePeerSent) {
    error error = fail(status::auth, "refused");
    error.fields = {{"suberror", std::string("\xff\0\x1b\"\\", 5)}};
    EXPECT_EQ(nlohmann::json::parse(detail_json(error)).at("suberror"), std::string("\xEF\xBF\xBD\0\x1b\"\\", 7));
}

TEST(Result, HoldsTheValueOrTheError) {
    result<int> good = 5;
    ASSERT_TRUE(good.ok());
    EXPECT_EQ(*good, 5);
    result<int> bad = fail(status::no_data, "empty");
    EXPECT_FALSE(bad);
    EXPECT_EQ(bad.failure().status, status::no_data);
    EXPECT_TRUE(result<void>().ok());
    EXPECT_FALSE(result<void>(fail(status::bug, "x")).ok());
}

TEST(Fail, FillsInValues) {
    const error why = fail(error_class::config, "threshold: expected a number, got {} after {} bytes", "\"x\"", 7);
    EXPECT_EQ(why.status, status::invalid);
    EXPECT_EQ(why.error_class, error_class::config);
    EXPECT_EQ(why.message, "threshold: expected a number, got \"x\" after 7 bytes");
    EXPECT_EQ(fail(status::limit, "{}{}{}{}{}", 1, 2, 3, 4, 5)->message, "12345");
    EXPECT_EQ(fail(status::limit, "a\nb {}", "c\nd")->message, "a b c d") << "one line";
    EXPECT_EQ(fail(status::limit, "{}", 1).at("pool a")->where.path, "pool a");
}

TEST(Result, HandsAnErrorOnWithoutACopy) {
    result<std::unique_ptr<int>> first = fail(status::no_data, "empty");
    const error* const what = &first.failure();
    result<std::string> second = first.take_failure();
    EXPECT_EQ(&second.failure(), what);
    result<void> third = second.take_failure();
    EXPECT_EQ(&third.failure(), what);
    const result<void> copy = third;
    EXPECT_NE(&copy.failure(), what);
    EXPECT_EQ(copy.failure().message, "empty");
}

TEST(Result, AssignsOverValueAndError) {
    static_assert(std::is_nothrow_move_constructible_v<result<std::string>>);
    static_assert(!std::is_copy_constructible_v<result<std::unique_ptr<int>>>);
    const std::string text = "longer than the buffer inside of a string";
    result<std::string> entry = text;
    entry = fail(status::bug, "x");
    EXPECT_FALSE(entry);
    entry = result<std::string>(text);
    EXPECT_EQ(*entry, text);
    const result<std::string> other = entry;
    entry = other;
    EXPECT_EQ(*entry, text);
}

TEST(Callback, OwnsWhatCannotBeCopied) {
    const auto counted = std::make_shared<int>(0);
    {
        callback<int(std::unique_ptr<int>)> add = [counted,
                                                   own = std::make_unique<int>(5)](std::unique_ptr<int> given) {
            ++*counted;
            return *own + *given;
        };
        EXPECT_EQ(counted.use_count(), 2);
        const callback<int(std::unique_ptr<int>)> moved = std::move(add);
        ASSERT_TRUE(moved);
        EXPECT_EQ(moved(std::make_unique<int>(2)), 7);
    }
    EXPECT_EQ(*counted, 1);
    EXPECT_EQ(counted.use_count(), 1) << "the closure is freed";
}

TEST(Callback, IsEmptyLikeTheFunctionItIsMadeOf) {
    EXPECT_FALSE(callback<void()>());
    EXPECT_FALSE(callback<void()>(nullptr));
    EXPECT_FALSE(callback<void()>(std::function<void()>()));
    int calls = 0;
    const callback<void()> made = std::function<void()>([&calls] { ++calls; });
    made();
    EXPECT_EQ(calls, 1);
}

TEST(Status, HasANameAndAnActionForEveryNumber) {
    EXPECT_STREQ(status_name(status::ok), "OK");
    EXPECT_STREQ(status_name(status::invalid), "E_INVALID");
    EXPECT_STREQ(status_name(status::too_new), "E_TOO_NEW");
    EXPECT_STREQ(status_name(status::bug), "E_BUG");
    EXPECT_EQ(status_action(status::forbidden), action::grant_role);
    EXPECT_EQ(status_action(status::throttled), action::wait);
    for (const int unknown : {-1, 21, 1'000'000}) {
        EXPECT_STREQ(status_name(static_cast<status>(unknown)), "E_UNKNOWN");
        EXPECT_EQ(status_action(static_cast<status>(unknown)), action::report_bug);
    }
}

}  // namespace

namespace {

TEST(FormatText, PutsEachValueInItsPlace) {
    const std::string owned = "queue";
    EXPECT_EQ(format_text("{} of {}: {} of {}", owned, std::string_view("a-name").substr(2), 3, "4"),
              "queue of name: 3 of 4");
}

TEST(FormatText, TakesNoPlaceForGrantedInValues) {
    EXPECT_EQ(format_text("{}{}", "{}", "x"), "{}x");
    EXPECT_EQ(format_text("{\"a\":{}}", 1), "{\"a\":1}");
}

TEST(FormatText, TellsAnEmptyTextFromANumber) {
    EXPECT_EQ(format_text("[{}][{}][{}]", std::string_view(), "", 0), "[][][0]");
}

TEST(FormatText, WritesWholeNumbersOfEverySign) {
    EXPECT_EQ(format_text("{} {} {}", std::numeric_limits<std::int64_t>::min(), -1,
                          std::numeric_limits<std::uint32_t>::max()),
              "-9223372036854775808 -1 4294967295");
}

TEST(FormatText, HasAFunctionForUpToEightValues) {
    EXPECT_EQ(format_text("{}", 1), "1");
    EXPECT_EQ(format_text("{}{}", 1, 2), "12");
    EXPECT_EQ(format_text("{}{}{}", 1, 2, 3), "123");
    EXPECT_EQ(format_text("{}{}{}{}", 1, 2, 3, 4), "1234");
    EXPECT_EQ(format_text("{}{}{}{}{}", 1, 2, 3, 4, 5), "12345");
    EXPECT_EQ(format_text("{}{}{}{}{}{}", 1, 2, 3, 4, 5, 6), "123456");
    EXPECT_EQ(format_text("{}{}{}{}{}{}{}", 1, 2, 3, 4, 5, 6, 7), "1234567");
    EXPECT_EQ(format_text("{}{}{}{}{}{}{}{}", 1, 2, 3, 4, 5, 6, 7, 8), "12345678");
}

}  // namespace

}  // namespace gputide
