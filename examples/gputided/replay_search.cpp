#include "replay_search.hpp"

#include "replay_input.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <random>
#include <set>
#include <thread>

namespace gputided {
namespace {

using json = nlohmann::json;
constexpr std::size_t most_values = 1'000;

json number_of(const std::string& text, const std::string& whole) {
    json out = json::parse(text, nullptr, false);
    if (out.is_discarded() || !(out.is_number() || out.is_boolean())) {
        throw usage_error("--try " + whole + ": expected name=low:high:step or name=value,value");
    }
    return out;
}

std::vector<std::string> pieces(const std::string& text, char between) {
    std::vector<std::string> out(1);
    for (const char one : text) {
        if (one == between) {
            out.emplace_back();
        } else {
            out.back() += one;
        }
    }
    return out;
}

// Whole numbers stay whole: the settings want them so.
json tidy_number(double value) {
    const double rounded = std::round(value * 1e6) / 1e6;
    if (rounded == std::floor(rounded)) return static_cast<std::int64_t>(rounded);
    return rounded;
}

// Three significant digits: 66.66 → 66.7.
json three_digits(double value) {
    if (!(value > 0)) return tidy_number(value);
    const double scale = std::pow(10.0, 2 - std::floor(std::log10(value)));
    return tidy_number(std::round(value * scale) / scale);
}

}  // namespace

json replayed(const replay_ground& on, const json& set) {
    json settings = on.settings;
    for (const auto& [name, value] : set.items()) settings["set"][name] = value;
    gputide::replay run = gputide::replay::open(on.manifest, settings.dump(), on.with);
    run.run(*on.over);
    return json::parse(run.report());
}

std::vector<json> replay_all(const replay_ground& on, const std::vector<json>& sets, unsigned threads,
                             const std::function<void(std::size_t, std::size_t)>& told) {
    std::vector<json> out(sets.size());
    std::atomic<std::size_t> next{0};
    std::mutex guard;  // of what follows
    std::size_t done = 0;
    std::exception_ptr failed;
    const auto work = [&] {
        for (std::size_t at = next++; at < sets.size(); at = next++) {
            try {
                out[at] = replayed(on, sets[at]);
            } catch (const gputide::failure& wrong) {
                if (wrong.status() == GPUTIDE_E_INVALID) {
                    out[at] = {{"refused", wrong.what()}};  // min above max and the like: a candidate that cannot be
                } else {
                    const std::lock_guard hold(guard);
                    failed = std::current_exception();
                    next = sets.size();
                }
            }
            const std::lock_guard hold(guard);
            told(++done, sets.size());
        }
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < std::max(threads, 1U); ++i) others.emplace_back(work);
    work();
    for (std::thread& one : others) one.join();
    if (failed) std::rethrow_exception(failed);
    return out;
}

dimension read_dimension(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw usage_error("--try " + text + ": expected name=low:high:step or name=value,value");
    }
    dimension out{text.substr(0, equals), {}};
    const std::string rest = text.substr(equals + 1);
    const std::vector<std::string> bounds = pieces(rest, ':');
    if (bounds.size() == 3) {
        const json low = number_of(bounds[0], text);
        const json high = number_of(bounds[1], text);
        const json step = number_of(bounds[2], text);
        if (!step.is_number() || !low.is_number() || !high.is_number() || !(step.get<double>() > 0)) {
            throw usage_error("--try " + text + ": the step is not above 0");
        }
        for (std::size_t i = 0; i < most_values; ++i) {
            const double value = low.get<double>() + static_cast<double>(i) * step.get<double>();
            if (value > high.get<double>() + 1e-9) break;
            out.values.push_back(tidy_number(value));
        }
    } else {
        for (const std::string& one : pieces(rest, ',')) out.values.push_back(number_of(one, text));
    }
    if (out.values.empty() || out.values.size() > most_values) {
        throw usage_error("--try " + text + ": expected 1 to 1000 values");
    }
    return out;
}

std::vector<dimension> usual_dimensions(const json& report) {
    const json& policy = report.at("policy");
    const double target = policy.at("metrics").at(0).at("target");
    dimension threshold{"threshold", {}};
    for (const double factor : {0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4}) {
        threshold.values.push_back(three_digits(target * factor));
    }
    const int min = policy.at("min");
    const int max = policy.at("max");
    dimension least{"min", {}};
    for (const int value : {min - 1, min, min + 1}) {
        if (value >= (min > 0 ? 1 : 0) && value <= max) least.values.emplace_back(value);
    }
    std::vector<dimension> out{threshold, least};
    out.push_back({"down_window_s", {60, 120, 300, 600}});
    out.push_back({"up_window_s", {0, 30, 60}});
    out.push_back({"tolerance", {0.05, 0.1, 0.2}});
    out.push_back({"up_percent", {50, 100, 200}});
    if (min == 0) {
        out.push_back({"activation_threshold", {0, three_digits(target * 0.05), three_digits(target * 0.1)}});
        out.push_back({"cooldown_s", {60, 300, 900}});
    }
    return out;
}

std::vector<json> combinations(const std::vector<dimension>& of, std::size_t most, std::uint64_t seed) {
    double count = 1;
    for (const dimension& one : of) count *= static_cast<double>(one.values.size());
    const auto nth = [&](auto pick) {
        json set = json::object();
        for (const dimension& one : of) set[one.name] = one.values[pick(one.values.size())];
        return set;
    };
    std::vector<json> out;
    if (count <= static_cast<double>(most)) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            std::size_t rest = i;
            out.push_back(nth([&](std::size_t size) {
                const std::size_t at = rest % size;
                rest /= size;
                return at;
            }));
        }
        return out;
    }
    std::mt19937_64 draws(seed);  // the same numbers everywhere; distributions are not, so the remainder is taken
    std::set<std::string> known;
    for (std::size_t tries = 0; out.size() < most && tries < most * 20; ++tries) {
        json set = nth([&](std::size_t size) { return static_cast<std::size_t>(draws() % size); });
        if (known.insert(set.dump()).second) out.push_back(std::move(set));
    }
    return out;
}

std::vector<json> neighbours(const std::vector<dimension>& of, const json& set) {
    std::vector<json> out;
    for (const dimension& one : of) {
        for (const json& value : one.values) {
            if (set.contains(one.name) && set.at(one.name) == value) continue;
            out.push_back(set);
            out.back()[one.name] = value;
        }
    }
    return out;
}

namespace {

// The same value, written as a number or as text: 60 and "60".
bool same_value(const json& before, const json& after) {
    const auto text = [](const json& of) { return of.is_string() ? of.get<std::string>() : of.dump(); };
    return text(before) == text(after);
}

std::string diff_lines(const std::string& path, const json& before, const json& after) {
    if (same_value(before, after)) return "";
    std::string out = "@@ " + path + "\n";
    if (!before.is_null()) out += "-  " + before.dump() + "\n";
    return out + "+  " + after.dump() + "\n";
}

json policy_of_rate(const json& set, const char* percent, const char* pods) {
    json out = json::array();
    const int period_s = set.value("policy_period_s", 15);
    if (set.contains(percent))
        out.push_back({{"type", "Percent"}, {"value", set[percent]}, {"periodSeconds", period_s}});
    if (set.contains(pods)) out.push_back({{"type", "Pods"}, {"value", set[pods]}, {"periodSeconds", period_s}});
    return out;
}

json at_path(const json& of, std::initializer_list<const char*> path) {
    const json* at = &of;
    for (const char* name : path) {
        if (!at->is_object() || !at->contains(name)) return nullptr;
        at = &at->at(name);
    }
    return *at;
}

std::string behavior_diff(const json& policy, const json& set, const std::string& root) {
    std::string out;
    for (const std::string direction : {"scaleUp", "scaleDown"}) {
        const bool up = direction == "scaleUp";
        const json rules = at_path(policy, {"behavior", direction.c_str()});
        const auto old = [&](const char* name) { return at_path(rules, {name}); };
        const char* window = up ? "up_window_s" : "down_window_s";
        if (set.contains(window)) {
            out += diff_lines(root + direction + ".stabilizationWindowSeconds", old("stabilizationWindowSeconds"),
                              set[window]);
        }
        if (set.contains("tolerance")) {
            out += diff_lines(root + direction + ".tolerance", old("tolerance"), set["tolerance"].dump());
        }
        const json rates = policy_of_rate(set, up ? "up_percent" : "down_percent", up ? "up_pods" : "down_pods");
        if (!rates.empty()) out += diff_lines(root + direction + ".policies", old("policies"), rates);
    }
    return out;
}

}  // namespace

std::string manifest_diff(const json& policy, const json& set) {
    const bool keda = policy.at("kind") == "ScaledObject";
    const json metric = policy.at("metrics").at(0);
    std::string out;
    if (set.contains("threshold")) {
        const bool average = metric.value("type", "") == "AverageValue";
        const std::string path =
            keda ? "spec.triggers[0].metadata.threshold"
                 : std::string("spec.metrics[0].external.target.") + (average ? "averageValue" : "value");
        out += diff_lines(path, metric.value("target", json()), set["threshold"].dump());
    }
    if (set.contains("activation_threshold")) {
        out += diff_lines("spec.triggers[0].metadata.activationThreshold", metric.value("activationThreshold", json()),
                          set["activation_threshold"].dump());
    }
    const auto whole = [&](const char* name, const char* in_keda, const char* in_hpa) {
        const char* where = keda ? in_keda : in_hpa;
        if (set.contains(name)) out += diff_lines(std::string("spec.") + where, policy.value(where, json()), set[name]);
    };
    whole("min", "minReplicaCount", "minReplicas");
    whole("max", "maxReplicaCount", "maxReplicas");
    whole("cooldown_s", "cooldownPeriod", "cooldownPeriod");
    whole("polling_interval_s", "pollingInterval", "pollingInterval");
    if (set.contains("in_flight_guard")) {
        out +=
            diff_lines("metadata.annotations[\"gputide.io/in-flight-guard\"]", nullptr, set["in_flight_guard"].dump());
    }
    return out + behavior_diff(policy, set,
                               keda ? "spec.advanced.horizontalPodAutoscalerConfig.behavior." : "spec.behavior.");
}

}  // namespace gputided
