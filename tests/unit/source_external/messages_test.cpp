// The wire format, the contract's messages, one gRPC answer, and what a poll's answers come to.
#include "source/external/external.hpp"
#include "source/grpc/grpc.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gputide::source::external {
namespace {

using testing::entry_of;
using testing::framed;
using testing::repeated;
using namespace std::literals;

TEST(Wire, ReadsEachTypeAndPassesOverWhatItDoesNotKnow) {
    grpc::wire_reader reader("\x08\x96\x01\x12\x02hi\x19\0\0\0\0\0\0\xf0\x3f\x25\x01\0\0\0"sv);
    grpc::wire_field field;
    ASSERT_TRUE(reader.next(field));
    EXPECT_TRUE(field.is(1, grpc::wire_type::varint));
    EXPECT_EQ(field.integer, 150U);
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.bytes, "hi");
    ASSERT_TRUE(reader.next(field));
    EXPECT_EQ(field.integer, 0x3ff0000000000000U);
    ASSERT_TRUE(reader.next(field));
    EXPECT_TRUE(field.is(4, grpc::wire_type::bits32));
    EXPECT_FALSE(reader.next(field));
    EXPECT_TRUE(reader.is_whole());
}

TEST(Wire, RefusesWhatIsNoMessage) {
    for (const std::string_view text : {
             "\x08"sv,                                          // a number that is not there
             "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"sv,  // one of more than 64 bits
             "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"sv,
             "\x12\x05hi"sv,                                    // a text beyond the end
             "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,  // of a size that would wrap
             "\x19\0\0\0"sv, "\x25\0"sv,
             "\x02x"sv,     // field 0
             "\x0b\x0c"sv,  // a group
             "\x0e"sv, "\x0f"sv, "\x80"sv,
             "\x80\x80\x80\x80\x10\0"sv,  // a field beyond the last number
         }) {
        grpc::wire_reader reader(text);
        grpc::wire_field field;
        while (reader.next(field)) {
        }
        EXPECT_FALSE(reader.is_whole()) << ::testing::PrintToString(text);
        EXPECT_FALSE(read_specs(text));
        EXPECT_FALSE(read_activity(text));
    }
}

TEST(Messages, AskAsKedaDoes) {
    const std::string owner = scaled_object_message({"llm", "ml", {{"a", "1"}, {"b", ""}}});
    EXPECT_EQ(owner,
              "\x0a\x03llm\x12\x02ml\x1a\x06\x0a\x01"
              "a\x12\x01"
              "1\x1a\x05\x0a\x01"
              "b\x12\0"s);
    EXPECT_EQ(metrics_message(owner, "q"),
              "\x0a" + std::string(1, static_cast<char>(owner.size())) + owner + "\x12\x01q");
    EXPECT_EQ(scaled_object_message({}), "");
    const std::string large = scaled_object_message({std::string(300, 'x'), "", {}});
    EXPECT_EQ(large.substr(0, 3), "\x0a\xac\x02");
}

TEST(Messages, TheFloatCountsWhereItIsAboveZero) {
    const auto specs = read_specs(repeated({entry_of("a", 3, 0.0), entry_of("b", 3, 2.5), entry_of("c", -3, -1.0),
                                            entry_of("d", 7, std::numeric_limits<double>::quiet_NaN())}));
    ASSERT_TRUE(specs);
    std::vector<std::int64_t> targets;
    for (const metric_spec& spec : *specs) targets.push_back(spec.target_milli);
    EXPECT_EQ(targets, (std::vector<std::int64_t>{3'000, 2'500, 0, 7'000}));
    const auto values = read_values(repeated({entry_of("", -4, 0.0), entry_of("", 1, 0.25)}));
    ASSERT_TRUE(values);
    EXPECT_EQ(*values, (std::vector{-4.0, 0.25}));
}

TEST(Messages, NamesAreTextAndFew) {
    EXPECT_FALSE(read_specs(repeated({"\x0a\x02\xff\xff"})));
    EXPECT_FALSE(read_specs(repeated({entry_of(std::string(5'000, 'x'), 1, 0.0)})));
    const auto many = read_values(repeated(std::vector<std::string>(300, entry_of("a", 1, 0.0))));
    ASSERT_FALSE(many);
    EXPECT_EQ(many.failure().status, status::limit);
}

TEST(Messages, ActivityIsFalseWhereNothingIsSaid) {
    EXPECT_FALSE(*read_activity(""));
    EXPECT_TRUE(*read_activity("\x08\x01"));
    EXPECT_FALSE(*read_activity("\x08\x01\x08\0"sv));
}

TEST(Grpc, FramesARequest) {
    const http::request sent = grpc::grpc_request("http://h:1/s/m", "abc");
    EXPECT_EQ(sent.body.reveal(), "\0\0\0\0\3abc"sv);
    EXPECT_EQ(sent.method, "POST");
    EXPECT_TRUE(sent.is_http2);
    EXPECT_EQ(sent.find("grpc-timeout")->value.reveal(), "3000m");
    EXPECT_EQ(sent.find("te")->value.reveal(), "trailers");
}

http::answer answered(std::string body, std::vector<http::response_header> more, std::int32_t status = 200) {
    http::answer out;
    out.response.status = status;
    out.response.body = std::move(body);
    out.response.headers = std::move(more);
    out.response.headers.insert(out.response.headers.begin(), {"content-type", "application/grpc+proto"});
    return out;
}

TEST(Grpc, GivesTheOneMessage) {
    const http::answer whole = answered(framed("abc"), {{"grpc-status", "0"}});
    ASSERT_TRUE(grpc::grpc_message(whole));
    EXPECT_EQ(*grpc::grpc_message(whole), "abc");
    EXPECT_EQ(*grpc::grpc_message(answered(framed(""), {{"grpc-status", "0"}})), "");
}

TEST(Grpc, AFailureIsTheStatusAndItsWords) {
    const auto failed = [](const char* status, const char* message, std::int32_t http = 200) {
        const auto out = grpc::grpc_message(answered({}, {{"grpc-status", status}, {"grpc-message", message}}, http));
        return out ? fail(status::ok, {}) : out.failure();
    };
    EXPECT_EQ(failed("5", "no %22such%22 queue").status, status::rejected);
    EXPECT_NE(failed("5", "no %22such%22 queue").message.find("no \"such\" queue"), std::string::npos);
    EXPECT_EQ(failed("5", "").service_code, "NOT_FOUND");
    EXPECT_EQ(failed("5", "").service_number, 5);
    EXPECT_NE(failed("5", "50% of it").message.find("50% of it"), std::string::npos) << "no escape: as it is";
    EXPECT_EQ(failed("14", "", 503).service_code, "UNAVAILABLE") << "goes before the HTTP status";
    EXPECT_EQ(failed("1000", "").status, status::protocol);
    EXPECT_EQ(failed("9", "stale").retryable, true);
    EXPECT_EQ(failed("12", "").retryable, false);
}

TEST(Grpc, OneMoreAttemptWhereThePeerSaysSoOrIsCutOff) {
    EXPECT_TRUE(grpc::is_passing(answered({}, {{"grpc-status", "14"}})));
    EXPECT_TRUE(grpc::is_passing(answered(framed("a"), {})));
    EXPECT_FALSE(grpc::is_passing(answered(framed("a"), {{"grpc-status", "0"}})));
    EXPECT_FALSE(grpc::is_passing(answered({}, {{"grpc-status", "5"}})));
    http::answer page;
    page.response.status = 200;
    EXPECT_FALSE(grpc::is_passing(page));
}

read_metric metric(std::string name, std::int64_t target_milli, std::vector<double> values) {
    return {{std::move(name), target_milli}, std::move(values)};
}

TEST(Outcome, TheMetricThatAsksForMost) {
    const fetched got =
        outcome_of({metric("a", 5'000, {20.0}), metric("b", 1'000, {5.5}), metric("c", 100, {0.0})}, true, 3);
    EXPECT_EQ(got.sample.state, sample_state::ok);
    EXPECT_EQ(got.sample.value, 5.5);
    EXPECT_EQ(got.sample.target_milli, 1'000);
    EXPECT_EQ(got.sample.activity, activity_word::active);
    ASSERT_EQ(got.reading.series.size(), 3U);
    EXPECT_EQ(got.reading.series[1].labels, (labels{{"metric", "s3-b"}, {"target", "1"}}));
}

TEST(Outcome, ValuesAreAddedInThousandths) {
    EXPECT_EQ(outcome_of({metric("a", 5'000, {0.0004, 0.0016})}, false, 0).sample.value, 0.002);
    EXPECT_EQ(outcome_of({metric("a", 5'000, {0.0004})}, false, 0).sample.value, 0.0004) << "one is left as it is";
    EXPECT_EQ(outcome_of({metric("a", 5'000, {-4.0, 6.0})}, false, 0).sample.value, 6.0) << "a quantity has no sign";
}

TEST(Outcome, WithoutAValueTheActivityHolds) {
    const fetched got = outcome_of({metric("a", 5'000, {9.0}), metric("b", 1'000, {})}, true, 0);
    EXPECT_EQ(got.sample.state, sample_state::empty);
    EXPECT_EQ(got.sample.activity, activity_word::active);
    EXPECT_EQ(got.sample.target_milli, 5'000) << "a fallback counts by it";
    EXPECT_NE(got.why.message.find("\"b\""), std::string::npos);
}

TEST(Outcome, AnInfinityIsAZeroThatSaysSo) {
    const fetched got = outcome_of({metric("a", 5'000, {std::numeric_limits<double>::infinity()})}, true, 0);
    EXPECT_EQ(got.sample.value, 0.0);
    EXPECT_TRUE(got.sample.null_as_zero);
}

}  // namespace
}  // namespace gputide::source::external
