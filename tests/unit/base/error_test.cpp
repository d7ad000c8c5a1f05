// Errors as values, their statuses and their detail as JSON.
#include "base/error.hpp"

#include "base/result.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gputide {
namespace {

TEST(Error, CarriesItsPlace) {
    const error plain = fail(status::invalid, "threshold: expected a number");
    EXPECT_EQ(plain.status, status::invalid);
    EXPECT_EQ(plain.message, "threshold: expected a number");
    EXPECT_TRUE(plain.where.empty());
    EXPECT_EQ(fail_at(status::limit, "so.yaml:3", "too deep").where, "so.yaml:3");
}

TEST(Error, DetailHoldsClassAndFieldsInOrder) {
    error one = fail(status::auth, "refused");
    EXPECT_EQ(detail_json(one), "") << "nothing to say is no object";
    one.error_class = "stale_assertion";
    EXPECT_EQ(detail_json(one), R"({"class":"stale_assertion"})");
    one.fields = {{"trace_id", "t-1"}, {"claims", "{\"a\":\"b\"}\n"}};
    EXPECT_EQ(detail_json(one), R"({"class":"stale_assertion","trace_id":"t-1","claims":"{\"a\":\"b\"}\n"})");
    one.error_class.clear();
    EXPECT_EQ(detail_json(one), R"({"trace_id":"t-1","claims":"{\"a\":\"b\"}\n"})");
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
    for (const int unknown : {-1, 20, 1'000'000}) {
        EXPECT_STREQ(status_name(static_cast<status>(unknown)), "E_UNKNOWN");
        EXPECT_EQ(status_action(static_cast<status>(unknown)), action::report_bug);
    }
}

}  // namespace
}  // namespace gputide
