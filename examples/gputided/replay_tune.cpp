// gputided replay tune: the settings that need the fewest GPU-hours within the user's limits.
#include "commands.hpp"
#include "log.hpp"
#include "replay_input.hpp"
#include "replay_search.hpp"
#include "replay_text.hpp"
#include "times.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <set>
#include <thread>
#include <unistd.h>

namespace gputided {
namespace {

using json = nlohmann::json;
constexpr std::size_t refined = 3;     // the best so many get their neighbours tried
constexpr std::size_t validated = 20;  // and the best so many of all are held against the rest of the series

// One candidate on one part of the series, per day where that makes parts comparable.
struct figures {
    double gpu_hours = 0;
    double above = 0;  // minutes per day
    double flaps = 0;  // per day
    std::int32_t most = 0;
    std::string broke;  // the first limit that it breaks; "": none
};

struct candidate {
    json set;
    figures train;
    figures held_out;
    bool was_held_out = false;
};

figures judged(const json& report, const tune_options& by) {
    figures out;
    if (report.contains("refused")) {
        out.broke = report.at("refused");
        return out;
    }
    const json& sums = report.at("summary");
    const double days = std::max(sums.at("duration_hours").get<double>() / 24.0, 1e-9);
    out.gpu_hours = sums.at("gpu_hours").get<double>() / days;
    out.above = sums.at("minutes_above_target").get<double>() / days;
    out.flaps = sums.at("flaps").get<double>() / days;
    out.most = sums.at("most_replicas");
    const auto over = [](const char* name, double value, double limit) {
        return std::string(name) + " " + figure(value, 2) + " > " + figure(limit, 2);
    };
    if (by.most_above >= 0 && out.above > by.most_above) {
        out.broke = over("minutes above target per day", out.above, by.most_above);
    } else if (by.most_flaps >= 0 && out.flaps > by.most_flaps) {
        out.broke = over("flaps per day", out.flaps, by.most_flaps);
    } else if (by.most_replicas >= 0 && out.most > by.most_replicas) {
        out.broke = over("replicas", out.most, by.most_replicas);
    }
    return out;
}

// Least GPU-hours, then least time above target, then fewest flaps; the order of the search decides what is left.
bool better(const candidate& a, const candidate& b) {
    const auto key = [](const candidate& of) {
        return std::make_tuple(of.train.gpu_hours, of.train.above, of.train.flaps);
    };
    return key(a) < key(b);
}

json figures_json(const figures& of) {
    json out = {{"gpu_hours_per_day", of.gpu_hours},
                {"minutes_above_target_per_day", of.above},
                {"flaps_per_day", of.flaps},
                {"most_replicas", of.most}};
    out["broke"] = of.broke.empty() ? json() : json(of.broke);
    return out;
}

std::string figures_text(const figures& of) {
    return figure(of.gpu_hours, 2) + " GPU-hours, " + figure(of.above, 1) + " min above target, " +
           figure(of.flaps, 1) + " flaps a day, at most " + std::to_string(of.most) + " replicas" +
           (of.broke.empty() ? "" : "; breaks: " + of.broke);
}

class search {
  public:
    search(const tune_options& by, const replay_ground& on, std::vector<dimension> over)
        : by_(by), on_(on), over_(std::move(over)), terminal_(::isatty(STDERR_FILENO) == 1) {}

    void look() {
        const auto budget = static_cast<std::size_t>(std::max(by_.candidates, 1));
        try_all("searching", combinations(over_, budget, static_cast<std::uint64_t>(by_.run.seed)));
        std::vector<json> near;
        for (const candidate* one : best(refined)) {
            for (json& set : neighbours(over_, one->set)) near.push_back(std::move(set));
        }
        try_all("refining", near);
    }

    // The feasible ones, the cheapest first.
    std::vector<candidate*> best(std::size_t most) {
        std::vector<candidate*> out;
        for (candidate& one : all_) {
            if (one.train.broke.empty()) out.push_back(&one);
        }
        std::stable_sort(out.begin(), out.end(), [](const candidate* a, const candidate* b) { return better(*a, *b); });
        if (out.size() > most) out.resize(most);
        return out;
    }

    std::vector<candidate>& all() { return all_; }

  private:
    void try_all(const char* doing, std::vector<json> sets) {
        std::vector<json> fresh;
        for (json& set : sets) {
            if (known_.insert(set.dump()).second) fresh.push_back(std::move(set));
        }
        const auto told = [&](std::size_t done, std::size_t all) {
            if (terminal_) {
                std::fprintf(stderr, "\rtune: %s, %zu of %zu candidates%s", doing, done, all, done == all ? "\n" : "");
            } else if (done == all) {
                log_line(std::string("tune: ") + doing + ", " + std::to_string(all) + " candidates");
            }
        };
        const std::vector<json> reports = replay_all(on_, fresh, threads_of(by_), told);
        for (std::size_t i = 0; i < fresh.size(); ++i) all_.push_back({fresh[i], judged(reports[i], by_), {}, false});
    }

    static unsigned threads_of(const tune_options& by) {
        return by.jobs > 0 ? static_cast<unsigned>(by.jobs) : std::max(std::thread::hardware_concurrency(), 1U);
    }

    const tune_options& by_;
    const replay_ground& on_;
    std::vector<dimension> over_;
    bool terminal_;
    std::vector<candidate> all_;
    std::set<std::string> known_;
};

std::string rejected_text(const std::vector<candidate>& all, bool each) {
    std::map<std::string, int> by_limit;
    std::string out;
    for (const candidate& one : all) {
        const std::string& broke = one.train.broke.empty() ? one.held_out.broke : one.train.broke;
        if (broke.empty()) continue;
        ++by_limit[broke.substr(0, broke.find_last_not_of("0123456789.,> ") + 1)];
        if (each)
            out += "  " + one.set.dump() + ": " + broke + (one.train.broke.empty() ? " (held-out part)" : "") + "\n";
    }
    std::string sums;
    for (const auto& [limit, count] : by_limit)
        sums += (sums.empty() ? "" : ", ") + std::to_string(count) + " by " + limit;
    return "rejected: " + (sums.empty() ? "none" : sums) + "\n" + out;
}

}  // namespace

int tune(const tune_options& from) {
    const std::vector<manifest_file> files = read_manifests(from.run.common);
    const std::string scaler = one_scaler(from.run.common, files);
    const gputide::series over = read_series(from.run, scaler, files);
    replay_ground on{files.front().text, library_options(from.run.common, files), &over, replay_settings(from.run)};
    on.with.scaler(scaler);
    on.settings["events"] = 0;
    on.settings["chart_points"] = 0;
    const json whole = replayed(on, json::object());
    json levels = json::array();  // "above target" means the same for every candidate
    for (const json& metric : whole.at("policy").at("metrics")) levels.push_back(metric.at("above"));
    if (!on.settings.contains("above")) on.settings["above"] = levels;
    const std::int64_t from_ms = parse_time_ms(whole.at("summary").at("from").get<std::string>());
    const std::int64_t to_ms = parse_time_ms(whole.at("summary").at("to").get<std::string>());
    const std::int64_t split_ms =
        to_ms - static_cast<std::int64_t>(static_cast<double>(to_ms - from_ms) * from.holdout);
    on.settings["to_ms"] = split_ms;
    replay_ground rest = on;
    rest.settings["from_ms"] = split_ms;
    rest.settings.erase("to_ms");
    const bool has_rest = from.holdout > 0;

    std::vector<dimension> dimensions;
    for (const std::string& one : from.tries) dimensions.push_back(read_dimension(one));
    if (dimensions.empty()) dimensions = usual_dimensions(whole);
    search looking(from, on, dimensions);
    looking.look();

    candidate as_is{json::object(), judged(replayed(on, json::object()), from), {}, has_rest};
    if (has_rest) as_is.held_out = judged(replayed(rest, json::object()), from);
    const candidate* chosen = nullptr;
    for (candidate* one : looking.best(validated)) {
        if (has_rest) one->held_out = judged(replayed(rest, one->set), from);
        one->was_held_out = has_rest;
        if (chosen == nullptr && one->held_out.broke.empty()) chosen = one;
    }
    const bool keeps =
        chosen != nullptr && as_is.train.broke.empty() && as_is.held_out.broke.empty() && !better(*chosen, as_is);
    const json changes = chosen == nullptr || keeps ? json::object() : chosen->set;
    const json policy = json::parse(gputide::policy::open(on.manifest, on.with).describe());
    const std::string diff = manifest_diff(policy, changes);

    if (from.run.common.json()) {
        json out = {{"baseline", {{"train", figures_json(as_is.train)}, {"held_out", figures_json(as_is.held_out)}}},
                    {"changes", changes},
                    {"diff", diff},
                    {"best", nullptr},
                    {"candidates", json::array()}};
        if (chosen != nullptr) {
            out["best"] = {{"set", chosen->set},
                           {"train", figures_json(chosen->train)},
                           {"held_out", figures_json(chosen->held_out)}};
        }
        for (const candidate& one : looking.all()) {
            json line = {{"set", one.set}, {"train", figures_json(one.train)}};
            if (one.was_held_out) line["held_out"] = figures_json(one.held_out);
            out["candidates"].push_back(std::move(line));
        }
        std::cout << out.dump() << "\n";
        return chosen != nullptr ? done : finding;
    }
    const std::string days = figure(whole.at("summary").at("duration_hours").get<double>() / 24, 2);
    std::cout << scaler << ": " << looking.all().size() << " candidates over " << days
              << (days == "1" ? " day" : " days") << ", the last " << figure(from.holdout * 100) << " % held out; "
              << on.settings.at("model").get<std::string>() << " loop, seed " << from.run.seed << "\n"
              << "as it is:  " << figures_text(as_is.train) << "\n";
    if (has_rest) std::cout << "  held out: " << figures_text(as_is.held_out) << "\n";
    std::cout << rejected_text(looking.all(), from.all);
    if (chosen == nullptr) {
        std::cout << "no candidate keeps the limits; loosen one, or try other values by --try\n";
        return finding;
    }
    std::cout << "best:      " << figures_text(chosen->train) << "\n";
    if (has_rest) std::cout << "  held out: " << figures_text(chosen->held_out) << "\n";
    if (diff.empty()) {
        std::cout << "the manifest is as good as the best candidate; nothing to change\n";
    } else {
        std::cout << "to apply:\n--- " << files.front().name << "\n+++ " << files.front().name << "\n" << diff;
    }
    return done;
}

}  // namespace gputided
