// Errors as values, their statuses and their detail as JSON.
#include "base/error.hpp"

#include "base/result.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gputide {
namespace {

TEST(Error, CarriesItsPlace) {
    const error plain = fail(status::invalid, "threshold: expected a number");
    EXPECT_EQ(plain.status, status::invalid);
    EXPECT_EQ(plain.message, "threshold: expected a number");
    EXPECT_TRUE(plain.where.empty());
    EXPECT_EQ(fail_at(status::limit, "so.yaml:3", "too deep").where.text(), "so.yaml:3");
    const place threshold{"so.yaml", 20, 9, "spec.triggers[0].metadata.threshold"};
    EXPECT_EQ(fail_at(error_class::config, threshold, "").where.text(),
              "so.yaml:20 spec.triggers[0].metadata.threshold");
}

TEST(Error, DetailHoldsClassAndFieldsInOrder) {
    error one = fail(status::auth, "refused");
    EXPECT_EQ(detail_json(one), "") << "nothing to say is no object";
    one.error_class = error_class::stale_assertion;
    EXPECT_EQ(detail_json(one), R"({"class":"stale_assertion"})");
    one.fields = {{"trace_id", "t-1"}, {"claims", "{\"a\":\"b\"}\n"}};
    EXPECT_EQ(detail_json(one), R"({"class":"stale_assertion","trace_id":"t-1","claims":"{\"a\":\"b\"}\n"})");
    one.error_class = error_class::none;
    EXPECT_EQ(detail_json(one), R"({"trace_id":"t-1","claims":"{\"a\":\"b\"}\n"})");
}

TEST(Error, DetailSaysHowLongToWait) {
    error one = fail(error_class::throttled, "busy");
    one.retry_after_ms = 3'000;
    one.past_deadline = true;
    EXPECT_EQ(detail_json(one), R"({"class":"throttled","deadline":"passed","retry_after_ms":3000})");
}

std::vector<error> one_of_every_class() {
    std::vector<error> out;
    for (int kind = 0; kind <= static_cast<int>(error_class::selector); ++kind) {
        out.push_back(fail(static_cast<error_class>(kind), "text"));
    }
    return out;
}

TEST(Error, EveryClassHasAWordAndAStatus) {
    for (const error& one : one_of_every_class()) {
        const bool says_nothing = one.error_class == error_class::none;
        EXPECT_EQ(class_word(one.error_class).empty(), says_nothing) << static_cast<int>(one.error_class);
        EXPECT_EQ(one.status == status::bug, says_nothing) << class_word(one.error_class);
        EXPECT_NE(one.status, status::ok) << class_word(one.error_class);
    }
}

// "Come back" is the advice exactly where the same call may work later, whatever the class and whoever changed its mind.
TEST(Error, TheActionNeverContradictsRetryable) {
    std::vector<error> all = one_of_every_class();
    for (int code = 1; code <= static_cast<int>(status::bug); ++code)
        all.push_back(fail(static_cast<status>(code), "text"));
    for (error one : all) {
        for (const bool retryable : {one.retryable, false, true}) {
            one.retryable = retryable;
            const action next = action_of(one);
            const bool comes_back = next == action::retry || next == action::wait;
            const std::string about = status_name(one.status) + std::string(class_word(one.error_class));
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
    error one = fail(status::auth, "refused");
    one.fields = {{"suberror", std::string("\xff\0\x1b\"\\", 5)}};
    EXPECT_EQ(nlohmann::json::parse(detail_json(one)).at("suberror"), std::string("\xEF\xBF\xBD\0\x1b\"\\", 7));
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
}  // namespace gputide
