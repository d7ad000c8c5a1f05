// keda-cron: the settings, schedules and windows of cron triggers.
#include "base/time.hpp"
#include "frame/check.hpp"
#include "source/cron/cron.hpp"
#include "source/source.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <optional>

namespace conformance::keda_cron {
namespace {

namespace manifest = gputide::manifest;
namespace cron = gputide::source::cron;
namespace source = gputide::source;

manifest::trigger trigger_of(const json& object) {
    manifest::trigger out;
    out.type = "cron";
    out.index = object.value("triggerIndex", 0);
    out.metadata = object.at("metadata").get<std::map<std::string, std::string>>();
    return out;
}

// False: nothing to compare further.
template <class Result>
bool is_as_expected(differences& out, const json& expect, bool expect_ok, const Result& got) {
    if (expect_ok != got.ok()) {
        out.push_back(expect_ok ? "expected success, got the error: " + got.failure().message
                                : std::string("expected an error, got success"));
        return false;
    }
    if (!expect_ok) expect_contains(out, "error", expect.value("error_contains", ""), got.failure().message);
    return expect_ok;
}

differences check_parse(const json& test_case, const json&) {
    const json& expect = test_case.at("expect");
    const auto got = source::describe(trigger_of(test_case), {}, manifest::profile::strict, nullptr);
    differences out;
    if (!is_as_expected(out, expect, expect.at("ok").get<bool>(), got)) return out;
    if (expect.contains("metric_name")) {
        expect_equal(out, "metric_name", expect.at("metric_name"), got->target.metric_name);
    }
    if (expect.contains("target_milli")) {
        expect_equal(out, "target_milli", expect.at("target_milli"), std::to_string(got->target.target_milli));
    }
    return out;
}

differences check_schedule(const json& test_case, const json&) {
    const json& expect = test_case.at("expect");
    const auto schedule = cron::parse_schedule(test_case.at("schedule").get<std::string>());
    differences out;
    if (!is_as_expected(out, expect, expect.at("ok").get<bool>(), schedule)) return out;
    const auto zone = cron::zone::load(test_case.at("timezone").get<std::string>());
    if (!zone) return {zone.failure().message};
    json times = json::array();
    std::optional<std::int64_t> at_s = gputide::parse_rfc3339(test_case.at("now").get<std::string>()).value() / 1'000;
    for (int i = 0; i < 4 && at_s; ++i) {
        at_s = cron::next_after(*schedule, *at_s, *zone);
        if (at_s) times.push_back(gputide::format_rfc3339_s(*at_s * 1'000));
    }
    expect_equal(out, "next", expect.at("next"), times);
    return out;
}

differences check_window(const json& test_case, const json&) {
    const json& expect = test_case.at("expect");
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    source::services services;
    services.loop = loop;
    const auto opened = gputide::testing::open_source(trigger_of(test_case), {}, manifest::profile::strict, services);
    if (!opened) return {"the trigger was refused: " + opened.failure().message};
    std::optional<source::fetched> got;
    const std::int64_t now_ms = gputide::parse_rfc3339(test_case.at("now").get<std::string>()).value();
    const auto under_way =
        (*opened)->fetch(now_ms, loop->steady_ms() + 1'000, [&](source::fetched read) { got = std::move(read); });
    loop->run_until_idle();
    if (!got) return {"the fetch did not end"};
    const bool failed = got->sample.state != gputide::sample_state::ok;
    differences out;
    expect_equal(out, "error", expect.value("error", false), failed);
    if (failed) {
        expect_contains(out, "error", expect.value("error_contains", ""), got->why.message);
        return out;
    }
    expect_equal(out, "value", expect.at("value"), got->sample.value);
    expect_equal(out, "active", expect.at("active"), got->sample.value > (*opened)->target().activation_threshold);
    return out;
}

const registration parses{"keda-cron", {"parse"}, &check_parse};
const registration schedules{"keda-cron", {"schedule"}, &check_schedule};
const registration windows{"keda-cron", {"window"}, &check_window};

}  // namespace
}  // namespace conformance::keda_cron
