#include "inside/vpa.hpp"
#include "rightsize/estimate.hpp"
#include "rightsize/histogram.hpp"
#include "rightsize/usage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace conformance::vpa_updater {
namespace {

constexpr std::array update_verdict_names{"yes",      "mode", "no_start_time", "short_lived", "small_difference",
                                          "no_change"};

}  // namespace

const char* update_verdict_name(update_verdict verdict) noexcept {
    return update_verdict_names[static_cast<std::size_t>(verdict)];
}

update_priority priority_of(std::span<const requested_resource> resources) {
    update_priority out;
    for (const requested_resource& resource : resources) {
        const bool below = resource.lower_milli && resource.request_milli < resource.lower_milli;
        const bool above = resource.upper_milli && resource.request_milli > resource.upper_milli;
        out.outside |= !resource.request_milli || below || above;
        out.grows |= !resource.request_milli || resource.target_milli > *resource.request_milli;
        const double request = std::max(static_cast<double>(resource.request_milli.value_or(0)), 1.0);
        out.difference += std::fabs(request - static_cast<double>(resource.target_milli)) / request;
    }
    return out;
}

update_verdict should_update(update_mode mode, const update_priority& update_priority, const running_pod& pod,
                             std::int64_t now_ms, const update_rules& rules) {
    if (mode == update_mode::off || mode == update_mode::initial) return update_verdict::mode;
    if (!update_priority.outside && !pod.quick_oom) {
        if (!pod.start_ms) return update_verdict::no_start_time;
        if (now_ms < *pod.start_ms + rules.settled_ms) return update_verdict::short_lived;
        if (update_priority.difference < rules.min_difference) return update_verdict::small_difference;
    }
    if (pod.quick_oom && update_priority.difference == 0.0) return update_verdict::no_change;
    return update_verdict::yes;
}

}  // namespace conformance::vpa_updater

// vpa-recommend: peaks, out-of-memory, confidence, margins, bounds, caps, and whether a pod is worth an update.

namespace conformance::vpa_estimates {
namespace {

using namespace gputide::rightsize;
using namespace vpa_updater;

constexpr std::int64_t day_s = 86'400;

amount amount_in(const json& object, const char* name, amount otherwise = 0) {
    const json found = object.value(name, json());
    return found.is_null() ? otherwise : static_cast<amount>(found.get<double>());
}

peak_rules peak_rules_of(const json& input) {
    peak_rules out;
    out.interval_ms = ms_of(input, "interval_s", day_s);
    out.oom.ratio = input.value("ratio", out.oom.ratio);
    out.oom.min_bytes = amount_in(input, "min_bump", out.oom.min_bytes);
    out.record_after_zero = input.value("record_after_zero", false);
    return out;
}

differences check_peaks(const json& test_case, const json&) {
    const peak_rules by = peak_rules_of(test_case.at("input"));
    peak_window window;
    json accepted = json::array();
    json calls = json::array();
    for (const json& op : test_case.at("input").at("ops")) {
        const std::int64_t time_ms = ms_of(op.at(1));
        const auto bytes = static_cast<amount>(op.at(2).get<double>());
        const peak_change made =
            op.at(0) == "oom" ? take_oom(by, window, time_ms, bytes) : take_sample(by, window, time_ms, bytes);
        accepted.push_back(made.accepted);
        if (made.removed) calls.push_back({"sub", *made.removed, made.time_ms / 1000});
        if (made.added) calls.push_back({"add", *made.added, made.time_ms / 1000});
    }
    return vpa_compared(test_case, {{"accepted", accepted}, {"calls", calls}});
}

differences check_oom_bump(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const amount used = std::max(amount_in(input, "requested"), amount_in(input, "peak"));
    return vpa_compared(test_case, needed_after_oom(peak_rules_of(input).oom, used));
}

history history_of(const json& input) {
    return {ms_of(input, "first", 0), ms_of(input, "last", 0), input.value("samples", std::int64_t{0})};
}

differences check_confidence(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    return vpa_compared(test_case, confidence_of(history_of(input), ms_of(input, "interval_s", day_s)));
}

differences check_multiplier(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    return vpa_compared(test_case, widened(amount_in(input, "base"), input.at("multiplier").get<double>(),
                                           input.at("exponent").get<double>(), input.at("confidence").get<double>()));
}

differences check_margin(const json& test_case, const json&) {
    return vpa_compared(test_case, with_margin(amount_in(test_case.at("input"), "base"),
                                               test_case.at("input").at("fraction").get<double>()));
}

differences check_minimum(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const auto containers = input.value("containers", 1);
    const amount cpu = share_of_minimum(amount_in(input, "min_cpu_m", 25), containers);
    const amount memory = share_of_minimum(amount_of(input.value("min_memory_mb", 250.0) * 1'048'576.0), containers);
    return vpa_compared(test_case, {{"cpu", std::max(amount_in(input, "cpu"), cpu)},
                                    {"memory", std::max(amount_in(input, "memory"), memory)}});
}

json bounds_json(const gputide::rightsize::bounds& made) {
    return {{"target", made.target}, {"lower", made.lower}, {"upper", made.upper}};
}

// ---- recommend: a histogram of peaks or of runs of samples, then the estimators

struct filled {
    histogram held;
    history seen;
};

filled fill(const layout& by, const json& input) {
    filled out{histogram(by, ms_of(input, "half_life_s", day_s)), {}};
    peak_window window;
    for (const json& peak : input.value("peaks", json::array())) {
        const peak_change made =
            take_sample(peak_rules_of(input), window, ms_of(peak.at(0)), static_cast<amount>(peak.at(1).get<double>()));
        if (made.removed) out.held.subtract(static_cast<double>(*made.removed), 1.0, made.time_ms);
        if (made.added) out.held.add(static_cast<double>(*made.added), 1.0, made.time_ms);
    }
    bool first = true;
    for (const json& run : input.value("samples", json::array())) {
        std::int64_t time_ms = ms_of(run.at("t0"));
        for (auto left = run.at("count").get<std::int64_t>(); left > 0; --left, time_ms += ms_of(run.at("step"))) {
            out.held.add(run.at("value").get<double>(), 0.1, time_ms);
            out.seen.first_ms = first ? time_ms : std::min(out.seen.first_ms, time_ms);
            out.seen.last_ms = first ? time_ms : std::max(out.seen.last_ms, time_ms);
            ++out.seen.samples;
            first = false;
        }
    }
    return out;
}

differences check_recommend(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const json config = input.value("config", json::object());
    const layout by = layout_of(input.at("options")).value();
    const filled from = fill(by, input);
    const double scale = input.value("scale", 1.0);
    const auto estimate = [&](double p) {
        return with_margin(amount_of(from.held.percentile(p) * scale), config.value("margin", 0.15));
    };
    const double confidence = input.contains("confidence")
                                  ? input.at("confidence").get<double>()
                                  : confidence_of(from.seen, ms_of(config, "interval_s", day_s));
    const gputide::rightsize::bounds plain{estimate(config.value("lower_percentile", 0.5)),
                                           estimate(config.value("target_percentile", 0.9)),
                                           estimate(config.value("upper_percentile", 0.95))};
    return vpa_compared(test_case, bounds_json(raised_to(widened(plain, confidence), amount_in(config, "min"))));
}

differences check_expired(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    return vpa_compared(test_case, expired(history_of(input), ms_of(input, "created", 0), ms_of(input.at("now")),
                                           ms_of(input, "interval_s", day_s), input.value("count", 8)));
}

differences check_cap(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const gputide::rightsize::bounds plain{amount_in(input, "lower"), amount_in(input, "target"),
                                           amount_in(input, "upper")};
    return vpa_compared(test_case, bounds_json(capped(plain, {amount_in(input, "min"), amount_in(input, "max")})));
}

differences check_round_up(const json& test_case, const json&) {
    return vpa_compared(
        test_case, rounded_up(amount_in(test_case.at("input"), "value"), amount_in(test_case.at("input"), "scale", 1)));
}

// ---- updates

std::optional<amount> milli_in(const json& object, const std::string& name, amount thousandths) {
    const json found = object.value(name, json());
    if (found.is_null()) return std::nullopt;
    return static_cast<amount>(found.get<double>()) * thousandths;
}

differences check_priority(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    std::vector<requested_resource> resources;
    for (const auto& [name, recommended] : input.at("recommendation").items()) {
        const amount thousandths = name == "cpu" ? 1 : 1000;  // cpu comes in millicores
        requested_resource& to = resources.emplace_back();
        to.request_milli = milli_in(input.value("request", json::object()), name, thousandths);
        to.target_milli = milli_in(recommended, "target", thousandths).value_or(0);
        to.lower_milli = milli_in(recommended, "lower", thousandths);
        to.upper_milli = milli_in(recommended, "upper", thousandths);
    }
    const update_priority made = priority_of(resources);
    return vpa_compared(test_case, {{"outside", made.outside}, {"scale_up", made.grows}, {"diff", made.difference}});
}

// "yes", or "no" and the reason.  Of a reason that is not a word of this library's, only the "no" can be compared.
differences check_update(const json& test_case, const json&) {
    const json& input = test_case.at("input");
    const std::optional<update_mode> mode = update_mode_of(input.at("mode").get<std::string>());
    if (!mode) throw std::invalid_argument("no such mode");
    update_priority by;
    by.outside = input.value("outside", false);
    by.difference = input.value("diff", 0.0);
    running_pod pod;
    if (const json start = input.value("start", json()); !start.is_null()) pod.start_ms = ms_of(start);
    pod.quick_oom = input.value("quick_oom", false);
    update_rules rules;
    rules.settled_ms = ms_of(input, "lifetime_s", rules.settled_ms / 1000);
    rules.min_difference = input.value("min_diff", rules.min_difference);
    const update_verdict made = should_update(*mode, by, pod, ms_of(input.at("now")), rules);

    const std::string expected = test_case.at("expect").get<std::string>();
    std::string got = made == update_verdict::yes ? "yes" : "no:" + std::string(update_verdict_name(made));
    bool known = expected == "yes";
    for (const auto word : {update_verdict::mode, update_verdict::no_start_time, update_verdict::short_lived,
                            update_verdict::small_difference, update_verdict::no_change})
        known |= expected == "no:" + std::string(update_verdict_name(word));
    if (!known && expected.starts_with("no:") && made != update_verdict::yes) got = expected;
    differences out;
    expect_equal(out, "verdict", expected, got);
    return out;
}

const registration peaks{"vpa-recommend", {"peaks"}, &check_peaks};
const registration bumps{"vpa-recommend", {"oom_bump"}, &check_oom_bump};
const registration confidences{"vpa-recommend", {"confidence"}, &check_confidence};
const registration multipliers{"vpa-recommend", {"conf_mul"}, &check_multiplier};
const registration margins{"vpa-recommend", {"margin"}, &check_margin};
const registration minima{"vpa-recommend", {"min_resource"}, &check_minimum};
const registration recommendations{"vpa-recommend", {"recommend"}, &check_recommend};
const registration expiries{"vpa-recommend", {"expired"}, &check_expired};
const registration cappings{"vpa-recommend", {"cap"}, &check_cap};
const registration roundings{"vpa-recommend", {"round_up"}, &check_round_up};
const registration priorities{"vpa-recommend", {"priority"}, &check_priority};
const registration updates{"vpa-recommend", {"update"}, &check_update};

}  // namespace
}  // namespace conformance::vpa_estimates
