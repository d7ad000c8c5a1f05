// The typed rules of trigger metadata, value by value and text by text.
#include "config/parameters.hpp"

#include <gtest/gtest.h>

namespace gputide::config {
namespace {

trigger with(std::map<std::string, std::string> metadata) {
    trigger out;
    out.type = "prometheus";
    std::int32_t line = 10;
    for (const auto& [key, value] : metadata) {
        out.metadata_places[key] = {"so.yaml", line++, 7, "spec.triggers[0].metadata." + key};
    }
    out.metadata = std::move(metadata);
    out.at = {"so.yaml", 5, 3, "spec.triggers[0]"};
    return out;
}

std::string only_error(const parameters& from) {
    return from.errors().size() == 1 ? from.errors()[0].message : std::to_string(from.errors().size()) + " errors";
}

TEST(Parameters, ReadsNumbersAsJsonDoes) {
    for (const char* good : {"5", "-1.5", "1e3", "0", " 100.50\n"}) {
        const trigger one = with({{"threshold", good}});
        parameters read(one);
        EXPECT_TRUE(read.number({{"threshold"}}).has_value()) << good;
    }
    for (const char* bad : {".5", "5.", "+5", "05", "0x10", "1_000", "NaN", "Inf", "\"5\"", "true", "null", "1e400"}) {
        const trigger one = with({{"threshold", bad}});
        parameters read(one);
        EXPECT_FALSE(read.number({{"threshold"}}).has_value()) << bad;
        EXPECT_EQ(only_error(read).find("unable to set param \"threshold\" value "), 0U) << bad;
    }
}

TEST(Parameters, ReadsDurations) {
    const struct {
        const char* text;
        std::int64_t ms;
    } good[] = {{"30s", 30'000}, {"1m30s", 90'000}, {"1.5s", 1'500}, {"0", 0}, {"1000", 1'000}, {"-0", 0}};
    for (const auto& row : good) {
        const trigger one = with({{"timeout", row.text}});
        parameters read(one);
        EXPECT_EQ(read.duration_ms({{"timeout"}}), row.ms) << row.text;
    }
    for (const char* bad : {"-1", "-5s", "-500us"}) {
        const trigger one = with({{"timeout", bad}});
        parameters read(one);
        EXPECT_FALSE(read.duration_ms({{"timeout"}}));
        EXPECT_NE(only_error(read).find("duration cannot be negative"), std::string::npos) << bad;
    }
    for (const char* bad : {"a", "1.5", "5 s"}) {
        const trigger one = with({{"timeout", bad}});
        parameters read(one);
        EXPECT_FALSE(read.duration_ms({{"timeout"}}));
        EXPECT_NE(only_error(read).find("unable to parse duration value"), std::string::npos) << bad;
    }
}

TEST(Parameters, ReadsPairs) {
    using pairs = std::map<std::string, std::string>;
    const struct {
        const char* text;
        bool values_hold_equals;
        std::optional<pairs> expected;
    } rows[] = {{"a=1,b=2", false, pairs{{"a", "1"}, {"b", "2"}}},
                {"a=1, a=2", false, pairs{{"a", "2"}}},
                {"a=", false, pairs{{"a", ""}}},
                {"a=b,", false, std::nullopt},
                {"a", false, std::nullopt},
                {"h=dTpw==", false, std::nullopt},
                {"h=dTpw==", true, pairs{{"h", "dTpw=="}}}};
    for (const auto& row : rows) {
        const trigger one = with({{"customHeaders", row.text}});
        parameters read(one);
        EXPECT_EQ(read.pairs({{"customHeaders"}}, row.values_hold_equals), row.expected) << row.text;
        EXPECT_EQ(read.errors().empty(), row.expected.has_value()) << row.text;
    }
}

TEST(Parameters, ReadsFlagsAsGoDoes) {
    const trigger one = with({{"a", "T"}, {"b", "0"}, {"c", "yes"}, {"d", "tRUE"}});
    parameters read(one);
    EXPECT_EQ(read.flag({{"a"}}), true);
    EXPECT_EQ(read.flag({{"b"}}), false);
    EXPECT_EQ(read.flag({{"c"}}), std::nullopt);
    EXPECT_EQ(read.flag({{"d"}}), std::nullopt);
    EXPECT_EQ(read.flag({{"e"}}), std::nullopt);
    EXPECT_EQ(read.errors().size(), 2U);
}

TEST(Parameters, ChecksChoices) {
    const field modes{{"authModes", "authMode"},
                      {origin::metadata, origin::auth},
                      false,
                      {"basic", "bearer", "tls"},
                      {"basic", "bearer"}};
    const trigger good = with({{"authMode", "tls, basic"}});
    parameters first(good);
    EXPECT_EQ(first.list(modes), (std::vector<std::string>{"tls", "basic"}));

    const trigger unknown = with({{"authModes", "digest"}});
    parameters second(unknown);
    EXPECT_TRUE(second.list(modes).empty());
    EXPECT_EQ(only_error(second),
              "parameter \"authModes,authMode\" value \"digest\" must be one of [basic bearer tls]");

    const trigger both = with({{"authModes", "bearer,basic"}});
    parameters third(both);
    EXPECT_TRUE(third.list(modes).empty());
    EXPECT_EQ(only_error(third),
              "parameter \"authModes,authMode\" value \"bearer,basic\" must contain only one of [basic bearer]");

    const trigger trailing = with({{"authModes", "tls,"}});
    parameters fourth(trailing);
    EXPECT_TRUE(fourth.list(modes).empty());
    EXPECT_EQ(fourth.errors().size(), 1U);
}

TEST(Parameters, LooksPlaceByPlaceThenNameByName) {
    trigger one = with({{"alias", "from alias"}, {"blank", "   "}, {"keyFromEnv", "VARIABLE"}});
    one.auth.parameters["name"] = secret_text(std::string("from auth"));
    one.auth.parameters["blank"] = secret_text(std::string("not blank\n"));
    one.resolved_env["VARIABLE"] = secret_text(std::string("from env"));
    parameters read(one);
    EXPECT_EQ(read.text({{"name", "alias"}, {origin::metadata, origin::auth}}), "from alias");
    EXPECT_EQ(read.text({{"name", "alias"}, {origin::auth, origin::metadata}}), "from auth");
    EXPECT_EQ(read.secret({{"blank"}, {origin::metadata, origin::auth}})->reveal(), "not blank");
    EXPECT_EQ(read.text({{"key"}, {origin::metadata, origin::env}}), "from env");
    EXPECT_EQ(read.text({{"key"}, {origin::metadata}}), std::nullopt);
    EXPECT_TRUE(read.errors().empty());
}

TEST(Parameters, JoinsAllErrorsAndNamesTheirPlaces) {
    const trigger one = with({{"activationThreshold", "one"}, {"foo", "bar"}});
    parameters read(one);
    EXPECT_FALSE(read.number({{"threshold"}, {origin::metadata}, true}));
    EXPECT_FALSE(read.number({{"activationThreshold"}}));
    EXPECT_FALSE(read.text({{"token", "bearerToken"}, {origin::metadata, origin::auth, origin::env}, true}));
    const result<void> end = read.finish("error parsing prometheus metadata");
    ASSERT_FALSE(end);
    EXPECT_EQ(end.failure().message,
              "error parsing prometheus metadata: missing required parameter \"threshold\" in [triggerMetadata]; "
              "unable to set "
              "param \"activationThreshold\" value \"one\": expected a number such as 5, -1.5 or 1e3; missing required "
              "parameter \"token,bearerToken\" in [triggerMetadata authParams resolvedEnv]");
    EXPECT_EQ(end.failure().where, "so.yaml:5 spec.triggers[0]");
    EXPECT_EQ(read.errors()[1].at.text(), "so.yaml:10 spec.triggers[0].metadata.activationThreshold");
    EXPECT_EQ(read.unknown_keys(), std::vector<std::string>{"foo"});
}

TEST(Parameters, NeverQuotesASecret) {
    trigger one = with({});
    one.auth.parameters["port"] = secret_text(std::string("hunter2"));
    parameters read(one);
    EXPECT_FALSE(read.number({{"port"}, {origin::auth}}));
    EXPECT_FALSE(read.flag({{"port"}, {origin::auth}}));
    EXPECT_FALSE(read.duration_ms({{"port"}, {origin::auth}}));
    EXPECT_TRUE(read.list({{"port"}, {origin::auth}, false, {"a"}}).empty());
    const result<void> end = read.finish("");
    ASSERT_FALSE(end);
    EXPECT_EQ(read.errors().size(), 4U);
    EXPECT_EQ(end.failure().message.find("hunter2"), std::string::npos);
    EXPECT_NE(end.failure().message.find("***"), std::string::npos);
}

}  // namespace
}  // namespace gputide::config
