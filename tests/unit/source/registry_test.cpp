// The table of trigger types, and the types without an endpoint.
#include "base/text.hpp"
#include "base/time.hpp"
#include "manifest/own/settings.hpp"
#include "support.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gputide {
namespace {

manifest::trigger trigger_of_type(const std::string& type, const testing::metadata& keys) {
    manifest::trigger out;
    out.type = type;
    out.metadata = keys;
    return out;
}

result<std::shared_ptr<source::metric_source>> opened(const manifest::trigger& from) {
    return testing::open_source(from, {}, manifest::profile::standard, {});
}

TEST(Registry, HasAReaderForEveryTypeItNames) {
    const auto types = source::known_types();
    EXPECT_GE(types.size(), 6U);
    for (const std::string_view type : types) {
        const auto got = opened(trigger_of_type(std::string(type), {}));
        // A type without its settings says which; it is not unknown.
        const std::string why = got ? std::string() : got.failure().message;
        EXPECT_EQ(why.find("is not known"), std::string::npos) << why;
    }
    EXPECT_TRUE(
        opened(trigger_of_type("prometheus", {{"serverAddress", "http://p"}, {"query", "up"}, {"threshold", "5"}})));
}

TEST(Registry, AnUnknownTypeIsToldWithItsNeighbors) {
    const auto got = opened(trigger_of_type("promethues", {}));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, status::invalid);
    for (const char* part : {"\"promethues\"", "values", "did you mean \"prometheus\"?"}) {
        EXPECT_NE(got.failure().message.find(part), std::string::npos) << part;
    }
}

// A fallback reads as what its row says it is.
TEST(Keys, HaveFallbacksOfTheirType) {
    using text::value_type;
    for (const std::string_view type : source::known_types()) {
        EXPECT_FALSE(source::keys_of(type).empty()) << type;
        for (const text::field& row : source::keys_of(type)) {
            const std::string_view name = *row.names.begin();
            EXPECT_FALSE(row.meaning.empty()) << type << " " << name;
            EXPECT_FALSE(row.required && !row.fallback.empty()) << type << " " << name;
            if (row.fallback.empty()) continue;
            const auto fits = [&row](value_type as, bool reads) { return row.type != as || reads; };
            EXPECT_TRUE(fits(value_type::number, parse_json_number(row.fallback).has_value())) << type << " " << name;
            EXPECT_TRUE(fits(value_type::flag, parse_go_bool(row.fallback).has_value())) << type << " " << name;
            EXPECT_TRUE(fits(value_type::duration, parse_go_duration_ms(row.fallback).has_value())) << type << name;
            EXPECT_TRUE(row.allowed.empty() || row.allowed.has(std::string_view(row.fallback))) << type << " " << name;
        }
    }
}

// config leaves these keys in a trigger's metadata, for the sources; a setting of config's own would be taken away.
TEST(Keys, OfOurOwnAreNoneOfConfigs) {
    std::set<std::string_view> of_config;
    for (const manifest::own_setting& setting : manifest::own_settings()) of_config.insert(setting.name);
    for (const manifest::own_trigger_setting& setting : manifest::own_trigger_settings())
        of_config.insert(setting.name);
    for (const manifest::trigger_kind& kind : source::trigger_kinds()) {
        for (const text::field& row : kind.keys) {
            for (const std::string_view name : row.names) {
                if (name.substr(0, manifest::own_prefix.size()) != manifest::own_prefix) continue;
                EXPECT_EQ(of_config.count(name.substr(manifest::own_prefix.size())), 0U) << kind.type << " " << name;
            }
        }
    }
}

TEST(Keys, ACredentialInMetadataIsSentToItsPlace) {
    text::report findings;
    const auto from = trigger_of_type("prometheus", {{"serverAddress", "http://p"},
                                                     {"query", "up"},
                                                     {"threshold", "5"},
                                                     {"ignoreNullValues", "false"},
                                                     {"bearerToken", "x"},
                                                     {"treshold", "5"}});
    ASSERT_TRUE(testing::open_source(from, {}, manifest::profile::standard, {}, &findings));
    ASSERT_EQ(findings.findings.size(), 2U);
    EXPECT_EQ(findings.findings[0].remedy, "set it in the trigger's TriggerAuthentication");
    EXPECT_EQ(findings.findings[1].remedy, "did you mean \"threshold\"?");
}

TEST(Values, CarryATargetUnderAnyOfItsNames) {
    const auto got = opened(trigger_of_type("values", {{"targetValue", "2.5"}, {"activationThreshold", "1"}}));
    ASSERT_TRUE(got);
    EXPECT_EQ((*got)->target().target_milli, 2500);
    EXPECT_EQ((*got)->target().activation_threshold, 1.0);
    EXPECT_EQ((*got)->target().metric_name, "s0-values");
    EXPECT_FALSE(opened(trigger_of_type("values", {})));
    EXPECT_TRUE(opened(trigger_of_type("external", {{"scalerAddress", "a:1"}})));
}

TEST(Values, CannotBeAsked) {
    const auto got = opened(trigger_of_type("values", {{"threshold", "1"}}));
    ASSERT_TRUE(got);
    const auto request = (*got)->request(0);
    ASSERT_FALSE(request);
    EXPECT_NE(request.failure().message.find("the host must push this value"), std::string::npos);
}

TEST(Resource, UtilizationIsAPercentage) {
    manifest::trigger from = trigger_of_type("cpu", {{"value", "60"}, {"containerName", "app"}});
    from.metric_type = manifest::target_type::utilization;
    const auto got = opened(from);
    ASSERT_TRUE(got);
    const source::target& target = (*got)->target();
    EXPECT_EQ(target.resource, "cpu");
    EXPECT_EQ(target.container, "app");
    EXPECT_EQ(target.utilization_pct, 60);
    EXPECT_EQ(target.type, manifest::target_type::utilization);
    from.metadata["value"] = "60.5";
    EXPECT_FALSE(opened(from));
}

TEST(Resource, AverageValueIsAQuantity) {
    const auto got = opened(trigger_of_type("memory", {{"value", "1.5Gi"}, {"type", "AverageValue"}}));
    ASSERT_TRUE(got);
    EXPECT_EQ((*got)->target().target_milli, 1'610'612'736'000);
    EXPECT_FALSE(opened(trigger_of_type("memory", {{"value", "much"}})));
    manifest::trigger wrong = trigger_of_type("cpu", {{"value", "1"}});
    wrong.metric_type = manifest::target_type::value;
    EXPECT_FALSE(opened(wrong));
}

}  // namespace
}  // namespace gputide
