// The typed rules of trigger metadata, value by value and text by text.
#include "manifest/parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gputide::manifest {
namespace {

constexpr auto keys = fields({
    {.names = {"threshold"}, .type = value_type::number, .required = true},
    {.names = {"activationThreshold"}, .type = value_type::number, .fallback = "0.5"},
    {.names = {"timeout"}, .type = value_type::duration},
    {.names = {"customHeaders"}, .type = value_type::pairs},
    {.names = {"a"}, .type = value_type::flag},
    {.names = {"b"}, .type = value_type::flag},
    {.names = {"c"}, .type = value_type::flag},
    {.names = {"d"}, .type = value_type::flag},
    {.names = {"e"}, .type = value_type::flag},
    {.names = "authModes authMode",
     .places = {origin::metadata, origin::auth},
     .type = value_type::list,
     .allowed = "basic bearer tls",
     .exclusive = "basic bearer"},
    {.names = "name alias", .places = {origin::metadata, origin::auth}},
    {.names = {"blank"}, .places = {origin::metadata, origin::auth}, .type = value_type::secret},
    {.names = {"key"}, .places = {origin::metadata, origin::env}},
    {.names = {"key-without-variable"}},
    {.names = "token bearerToken", .places = {origin::metadata, origin::auth, origin::env}, .required = true},
});

// The same key in a TriggerAuthentication, as every type.
constexpr auto ports = fields({
    {.names = {"port"}, .places = {origin::auth}, .type = value_type::number},
    {.names = "port flag", .places = {origin::auth}, .type = value_type::flag},
    {.names = "port duration", .places = {origin::auth}, .type = value_type::duration},
    {.names = "port list", .places = {origin::auth}, .type = value_type::list, .allowed = {"a"}},
    {.names = "name alias", .places = {origin::auth, origin::metadata}},
});

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
        const trigger trigger = with({{"threshold", good}});
        parameters read(trigger, keys.all());
        EXPECT_TRUE(read.number(keys["threshold"]).has_value()) << good;
    }
    for (const char* bad : {".5", "5.", "+5", "05", "0x10", "1_000", "NaN", "Inf", "\"5\"", "true", "null", "1e400"}) {
        const trigger trigger = with({{"threshold", bad}});
        parameters read(trigger, keys.all());
        EXPECT_FALSE(read.number(keys["threshold"]).has_value()) << bad;
        EXPECT_EQ(only_error(read).find("unable to set param \"threshold\" value "), 0U) << bad;
    }
}

TEST(Parameters, ReadsDurations) {
    const struct {
        const char* text;
        std::int64_t ms;
    } good[] = {{"30s", 30'000}, {"1m30s", 90'000}, {"1.5s", 1'500}, {"0", 0}, {"1000", 1'000}, {"-0", 0}};
    for (const auto& row : good) {
        const trigger trigger = with({{"timeout", row.text}});
        parameters read(trigger, keys.all());
        EXPECT_EQ(read.duration_ms(keys["timeout"]), row.ms) << row.text;
    }
    for (const char* bad : {"-1", "-5s", "-500us"}) {
        const trigger trigger = with({{"timeout", bad}});
        parameters read(trigger, keys.all());
        EXPECT_FALSE(read.duration_ms(keys["timeout"]));
        EXPECT_NE(only_error(read).find("duration cannot be negative"), std::string::npos) << bad;
    }
    for (const char* bad : {"a", "1.5", "5 s"}) {
        const trigger trigger = with({{"timeout", bad}});
        parameters read(trigger, keys.all());
        EXPECT_FALSE(read.duration_ms(keys["timeout"]));
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
        const trigger trigger = with({{"customHeaders", row.text}});
        parameters read(trigger, keys.all());
        EXPECT_EQ(read.pairs(keys["customHeaders"], row.values_hold_equals), row.expected) << row.text;
        EXPECT_EQ(read.errors().empty(), row.expected.has_value()) << row.text;
    }
}

TEST(Parameters, ReadsFlagsAsGoDoes) {
    const trigger trigger = with({{"a", "T"}, {"b", "0"}, {"c", "yes"}, {"d", "tRUE"}});
    parameters read(trigger, keys.all());
    EXPECT_EQ(read.flag(keys["a"]), true);
    EXPECT_EQ(read.flag(keys["b"]), false);
    EXPECT_EQ(read.flag(keys["c"]), std::nullopt);
    EXPECT_EQ(read.flag(keys["d"]), std::nullopt);
    EXPECT_EQ(read.flag(keys["e"]), std::nullopt);
    EXPECT_EQ(read.errors().size(), 2U);
}

TEST(Parameters, ChecksChoices) {
    const trigger good = with({{"authMode", "tls, basic"}});
    parameters first(good, keys.all());
    EXPECT_EQ(first.list(keys["authModes"]), (std::vector<std::string>{"tls", "basic"}));

    const trigger unknown = with({{"authModes", "digest"}});
    parameters second(unknown, keys.all());
    EXPECT_TRUE(second.list(keys["authModes"]).empty());
    EXPECT_EQ(only_error(second),
              "parameter \"authModes,authMode\" value \"digest\" must be one of [basic bearer tls]");

    const trigger both = with({{"authModes", "bearer,basic"}});
    parameters third(both, keys.all());
    EXPECT_TRUE(third.list(keys["authModes"]).empty());
    EXPECT_EQ(only_error(third),
              "parameter \"authModes,authMode\" value \"bearer,basic\" must contain only one of [basic bearer]");

    const trigger trailing = with({{"authModes", "tls,"}});
    parameters fourth(trailing, keys.all());
    EXPECT_TRUE(fourth.list(keys["authModes"]).empty());
    EXPECT_EQ(fourth.errors().size(), 1U);
}

TEST(Parameters, LooksPlaceByPlaceThenNameByName) {
    trigger trigger = with({{"alias", "from alias"},
                            {"blank", "   "},
                            {"keyFromEnv", "VARIABLE"},
                            {"key-without-variableFromEnv", "VARIABLE"}});
    trigger.auth.parameters["name"] = secret_text(std::string("from auth"));
    trigger.auth.parameters["blank"] = secret_text(std::string("not blank\n"));
    trigger.resolved_env["VARIABLE"] = secret_text(std::string("from env"));
    parameters read(trigger, keys.all());
    EXPECT_EQ(read.text(keys["name"]), "from alias");
    EXPECT_EQ(read.text(ports["alias"]), "from auth");
    EXPECT_EQ(read.secret(keys["blank"])->reveal(), "not blank");
    EXPECT_EQ(read.text(keys["key"]), "from env");
    EXPECT_EQ(read.text(keys["key-without-variable"]), std::nullopt);
    EXPECT_TRUE(read.errors().empty());
}

TEST(Parameters, JoinsAllErrorsAndNamesTheirPlaces) {
    const trigger trigger = with({{"activationThreshold", "one"}, {"foo", "bar"}});
    parameters read(trigger, keys.all());
    EXPECT_FALSE(read.number(keys["threshold"]));
    EXPECT_FALSE(read.number(keys["activationThreshold"]));
    EXPECT_FALSE(read.text(keys["token"]));
    const result<void> end = read.finish("error parsing prometheus metadata");
    ASSERT_FALSE(end);
    EXPECT_EQ(end.failure().message,
              "error parsing prometheus metadata: missing required parameter \"threshold\" in [triggerMetadata]; "
              "unable to set "
              "param \"activationThreshold\" value \"one\": expected a number such as 5, -1.5 or 1e3; missing required "
              "parameter \"token,bearerToken\" in [triggerMetadata authParams resolvedEnv]");
    EXPECT_EQ(end.failure().where.text(), "so.yaml:5 spec.triggers[0]");
    EXPECT_EQ(read.errors()[1].at.text(), "so.yaml:10 spec.triggers[0].metadata.activationThreshold");
    EXPECT_EQ(read.unknown_keys(), std::vector<std::string>{"foo"});
}

TEST(Parameters, NeverQuotesASecret) {
    trigger trigger = with({});
    trigger.auth.parameters["port"] = secret_text(std::string("hunter2"));
    parameters read(trigger, keys.all());
    EXPECT_FALSE(read.number(ports["port"]));
    EXPECT_FALSE(read.flag(ports["flag"]));
    EXPECT_FALSE(read.duration_ms(ports["duration"]));
    EXPECT_TRUE(read.list(ports["list"]).empty());
    const result<void> end = read.finish("");
    ASSERT_FALSE(end);
    EXPECT_EQ(read.errors().size(), 4U);
    EXPECT_EQ(end.failure().message.find("hunter2"), std::string::npos);
    EXPECT_NE(end.failure().message.find("***"), std::string::npos);
}

TEST(Parameters, GiveAFieldsFallbackWhereItIsAbsentOrEmpty) {
    const trigger absent = with({});
    EXPECT_EQ(parameters(absent, keys.all()).number(keys["activationThreshold"]), 0.5);
    const trigger empty = with({{"activationThreshold", " "}});
    EXPECT_EQ(parameters(empty, keys.all()).number(keys["activationThreshold"]), 0.5);
    const trigger wrong = with({{"activationThreshold", "x"}});
    EXPECT_EQ(parameters(wrong, keys.all()).number(keys["activationThreshold"]), std::nullopt);
}

TEST(Parameters, KnowWhatMetadataMayHold) {
    const trigger trigger =
        with({{"keyFromEnv", "A"}, {"nameFromEnv", "A"}, {"alias", "x"}, {"port", "1"}, {"foo", "x"}});
    const parameters read(trigger, keys.all());
    EXPECT_EQ(read.unknown_keys(), (std::vector<std::string>{"foo", "nameFromEnv", "port"}));
    EXPECT_FALSE(read.is_of_authentication("name"));
    const parameters by_port(trigger, ports.all());
    EXPECT_TRUE(by_port.is_of_authentication("port"));
    const std::vector<std::string> known = by_port.known_keys();
    EXPECT_EQ(std::count(known.begin(), known.end(), "port"), 0);
}

}  // namespace
}  // namespace gputide::manifest
