// gputide.io/ settings: each one read, each one refused when wrong, unknown ones named.
#include "manifest/own/settings.hpp"
#include "texts.hpp"

#include <gtest/gtest.h>

namespace config_test {
namespace {

manifest::loaded with(std::string_view name, std::string_view value) {
    return load(scaled_object("", "    gputide.io/" + std::string(name) + ": \"" + std::string(value) + "\"\n"));
}

struct row {
    const char* name;
    std::vector<const char*> good;
    std::vector<const char*> bad;
};

// A manifest as kubectl prints it, or as a repository holds it, of one that gputide scales.
TEST(OwnSettings, WhoScalesItIsNoSettingAndNoError) {
    for (const char* mark : {"owner", "handover"}) {
        const manifest::loaded loaded = with(mark, "west");
        EXPECT_EQ(loaded.report.count(text::severity::error), 0U) << text::render(loaded.report);
        EXPECT_EQ(loaded.specs.size(), 1U);
    }
    EXPECT_GT(with("owners", "west").report.count(text::severity::error), 0U);
}

TEST(OwnSettings, ReadOrRefuseEachValue) {
    const std::vector<row> rows{
        {"profile", {"standard", "default", "strict"}, {"", "Strict"}},
        {"sync-period", {"15s", "0s", "1m"}, {"15", "-1s", "fast", "1000h"}},
        {"hpa-version", {"1.35", "1.18", "1.38"}, {"1.17", "1.39", "1.100", "2.0", "v1.35", "1.35.1", "1.", "1.035"}},
        {"keda-version", {"2.20", "2.21"}, {"2.19", "2.22", "1.21", "2", "v2.21", "2.21.0"}},
        {"tolerance", {"0", "0.05"}, {"-0.1", "10%"}},
        {"downscale-stabilization", {"0s", "5m", "24h"}, {"300", "1500ms", "25h", "-1s"}},
        {"cpu-initialization-period", {"2m"}, {"120"}},
        {"initial-readiness-delay", {"10s"}, {"soon"}},
        {"hpa-scale-to-zero", {"true"}, {"yes"}},
        {"no-data", {"as-original", "hold", "fallback", "zero", "error"}, {"keep"}},
        {"max-sample-age", {"2m", "0s"}, {"120", "-2m"}},
        {"reduce", {"avg", "max", "min", "sum", "count", "p0", "p95", "p100"}, {"mean", "p", "p101", "p-1", "pxx"}},
        {"accept-partial", {"true", "0"}, {"maybe"}},
        {"last-non-null", {"true"}, {""}},
        {"pairs-hold-equals", {"true"}, {"1.0"}},
        {"scale-up-above", {"80", "-1.5"}, {"NaN", "80%", "1e400"}},
        {"scale-down-below", {"20"}, {"low"}},
        {"metrics-from", {"host", "kubernetes"}, {"prometheus", ""}},
        {"in-flight-guard", {"true"}, {"2"}},
        {"refresh-on-partial-error", {"true"}, {"on"}},
        {"gradual-scale-to-zero", {"true"}, {"on"}},
        {"confirm", {"2/3", "1/1", "64/64"}, {"3/2", "2", "0/3", "1/65", "a/b"}},
        {"group-size", {"1", "8"}, {"0", "-8", "1.5"}},
        {"gpus-per-replica", {"1", "8", "250m"}, {"0", "-1", "many"}},
        {"max-gpus", {"64"}, {"0", "x"}},
        {"cost-per-gpu-hour", {"2.5", "0"}, {"-1", "$3"}},
        {"max-cost-per-hour", {"0"}, {"-1", "free"}},
        {"forecast", {"off", "observe", "act"}, {"on", "", "Act"}},
        {"forecast-lead", {"1m", "5m", "1h", "90s"}, {"59s", "61m", "5", "-5m"}},
        {"forecast-budget", {"0.1", "5", "100", "none"}, {"0", "101", "5%", "None"}},
        {"forecast-quantile", {"50", "90", "99"}, {"49", "100", "0.9"}},
        {"forecast-max-raise", {"10", "200", "900"}, {"9", "901", "200%"}},
        {"forecast-warmup", {"1h", "1d", "14d", "36h"}, {"59m", "15d", "1", "1.5d", "-1d"}},
        {"forecast-history", {"0", "14d", "28d", "36h"}, {"29d", "1", "-1d"}},
        {"forecast-metric", {"queue"}, {""}},
    };
    ASSERT_EQ(rows.size(), manifest::own_settings().size() + manifest::own_trigger_settings().size());
    for (const row& entry : rows) {
        for (const char* value : entry.good) {
            const manifest::loaded got = with(entry.name, value);
            EXPECT_EQ(got.specs.size(), 1U) << entry.name << " " << value << "\n" << found(got);
        }
        for (const char* value : entry.bad) {
            const manifest::loaded got = with(entry.name, value);
            EXPECT_TRUE(got.specs.empty()) << entry.name << " " << value;
            EXPECT_NE(found(got).find("so.yaml:6:5: error: gputide.io/" + std::string(entry.name) + ": expected "),
                      std::string::npos)
                << found(got);
        }
    }
}

// An obstacle of a forecast is reported, and only where there is one.
TEST(OwnSettings, AForecastThatCannotHelpWarns) {
    const std::string on = "    gputide.io/forecast: observe\n";
    const auto findings = [](std::string_view more, const std::string& annotations) {
        return found(load(scaled_object(more, annotations)));
    };
    EXPECT_EQ(findings("", on).find("forecast"), std::string::npos) << findings("", on);
    const auto warns = [&](std::string_view more, const std::string& annotations, const char* words) {
        EXPECT_NE(findings(more, annotations).find(words), std::string::npos) << findings(more, annotations);
        EXPECT_EQ(findings(more, "    gputide.io/sync-period: 45s\n").find(words), std::string::npos) << words;
    };
    warns("  minReplicaCount: 3\n  maxReplicaCount: 3\n", on, "minimum and maximum are 3");
    warns("", on + "    gputide.io/sync-period: 45s\n    gputide.io/forecast-lead: 1m\n",
          "so.yaml:8:5: warning: gputide.io/forecast-lead is 1m, below two sync periods (1m30s)");
    warns("  triggers:\n  - type: cpu\n    metricType: Utilization\n    metadata: {value: \"60\"}\n", on,
          "the forecast metric is a utilization");
    const std::string past = on + "    gputide.io/forecast-history: 14d\n";
    warns("  triggers:\n  - type: prometheus\n    metricType: Value\n    metadata: {query: up}\n", past,
          "forecast-history is not used");
    EXPECT_EQ(findings("", past).find("forecast"), std::string::npos) << findings("", past);
    const std::string alone = "    gputide.io/forecast-lead: 8m\n";
    warns("", alone, "so.yaml:6:5: warning: gputide.io/forecast-lead has no effect without gputide.io/forecast");
    EXPECT_EQ(findings("", "    gputide.io/forecast: \"off\"\n" + alone).find("forecast"), std::string::npos);
#ifdef GPUTIDE_CRON
    warns(
        "  triggers:\n  - type: prometheus\n    metadata: {query: up}\n  - type: cron\n    metadata: {timezone: UTC, "
        "start: 0 6 * * "
        "*, end: 0 20 * * *, desiredReplicas: \"3\"}\n",
        on, "raises the size at fixed times");
#endif
}

TEST(OwnSettings, ArriveInTheSpec) {
    const manifest::loaded got = load(scaled_object("", R"(    gputide.io/sync-period: 5s
    gputide.io/confirm: 2/3
    gputide.io/group-size: "4"
    gputide.io/gpus-per-replica: 500m
    gputide.io/max-gpus: "16"
    gputide.io/cost-per-gpu-hour: "2.5"
    gputide.io/max-cost-per-hour: "100"
    gputide.io/in-flight-guard: "true"
    gputide.io/hpa-version: "1.35"
    gputide.io/max-sample-age: 2m
    gputide.io/scale-up-above: "80"
    gputide.io/scale-down-below: "20"
)"));
    ASSERT_EQ(got.specs.size(), 1U) << found(got);
    const manifest::extra_rules& extra = got.specs[0].scaling.extra;
    EXPECT_EQ(extra.sync_period_ms, 5'000);
    EXPECT_EQ(extra.confirm_k, 2);
    EXPECT_EQ(extra.confirm_n, 3);
    EXPECT_EQ(extra.group_size, 4);
    EXPECT_EQ(extra.gpus_per_replica_milli, 500);
    EXPECT_EQ(extra.max_gpus_milli, 16'000);
    EXPECT_EQ(extra.cost_per_gpu_hour, 2.5);
    EXPECT_EQ(extra.max_cost_per_hour, 100.0);
    EXPECT_TRUE(extra.in_flight_guard);
    EXPECT_EQ(got.specs[0].scaling.controller.versions.kubernetes, 35);
    const manifest::trigger_rules& rules = got.specs[0].triggers.at(0).rules;
    EXPECT_EQ(rules.max_age_ms, 120'000);
    EXPECT_EQ(rules.scale_up_above, 80.0);
    EXPECT_EQ(rules.scale_down_below, 20.0);
}

TEST(OwnSettings, MustMakeSenseTogether) {
    EXPECT_NE(found(with("max-cost-per-hour", "100")).find("has no effect without gputide.io/cost-per-gpu-hour"),
              std::string::npos);
    const std::string up = "    gputide.io/scale-up-above: \"20\"\n";
    const std::string down = "    gputide.io/scale-down-below: \"80\"\n";
    EXPECT_NE(found(load(scaled_object("", up + down)))
                  .find("scale-down-below 80 is greater than gputide.io/scale-up-above 20"),
              std::string::npos);
    const char* const in_trigger = "  triggers:\n  - {type: x, metadata: {gputide.io/scale-down-below: \"21\"}}\n";
    EXPECT_TRUE(load(scaled_object(in_trigger, up)).specs.empty());
    EXPECT_EQ(load(scaled_object(in_trigger)).specs.size(), 1U);
}

TEST(OwnSettings, UnknownOnesAreErrors) {
    EXPECT_NE(found(with("sync-perod", "5s")).find("did you mean gputide.io/sync-period?"), std::string::npos);
    EXPECT_NE(found(with("anything", "x")).find("is not a setting"), std::string::npos);
    const manifest::loaded in_trigger =
        load(scaled_object("  triggers:\n  - {type: x, metadata: {gputide.io/profile: strict}}\n"));
    EXPECT_NE(found(in_trigger).find("is not a setting of a trigger"), std::string::npos);
    EXPECT_NE(found(in_trigger).find("write it as an annotation of the manifest"), std::string::npos);
}

TEST(OwnSettings, SayWhatTheyMean) {
    const auto says = [](const auto& table) {
        for (const auto& row : table) {
            EXPECT_FALSE(row.name.empty() || row.fallback.empty() || row.meaning.empty()) << std::string(row.name);
            EXPECT_FALSE(text::expected_text(row.rule).empty()) << std::string(row.name);
        }
    };
    says(manifest::own_settings());
    says(manifest::own_trigger_settings());
}

}  // namespace
}  // namespace config_test
