#include "replay/tune/tune.hpp"

#include "common/files.hpp"
#include "common/log.hpp"
#include "common/text.hpp"
#include "common/times.hpp"
#include "replay/replay.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

namespace gputided {

namespace {

constexpr std::size_t max_validated = 20;  // so many best candidates are validated with the rest of the series

// The series in two parts: the first for the search, the second for validation.
struct parts {
    replay_input train;
    replay_input held_out;
    bool has_held_out = false;
};

struct verdict {
    candidate baseline;  // the manifest as it is
    const candidate* best = nullptr;
    const candidate* nearest = nullptr;  // to the limits, if no candidate keeps them
    json changes;                        // to apply; empty: the manifest is as good as the best candidate
    std::string diff;
    ordered_json patch;  // for kubectl patch --type=merge; null: the manifest cannot be read here
};

parts split_series(const replay_input& input, const json& whole, double holdout) {
    const std::int64_t from_ms = parse_time_ms(text_at(whole.at("summary"), "from"));
    const std::int64_t to_ms = parse_time_ms(text_at(whole.at("summary"), "to"));
    const auto held_out_ms = static_cast<std::int64_t>(static_cast<double>(to_ms - from_ms) * holdout);
    parts out{input, input, holdout > 0};
    out.train.settings["to_ms"] = to_ms - held_out_ms;
    out.held_out.settings["from_ms"] = to_ms - held_out_ms;
    out.held_out.settings.erase("to_ms");
    // A forecast continues in the second part with what it learned in the first.
    constexpr std::int64_t max_history_ms = 28LL * 86'400'000;
    if (forecasts(whole)) {
        out.held_out.settings["set"]["forecast_history_ms"] = std::min(to_ms - from_ms - held_out_ms, max_history_ms);
    }
    return out;
}

// Reports an unknown name, and a setting without a valid value, before hours of searching.
void check_name(const std::string& name, const replay_input& input) {
    const auto refusal = refusal_of(input, {{name, json::object()}});  // no setting takes an object
    const bool is_about_name = refusal && refusal->error().where == std::string("replay settings: set");
    if (is_about_name) throw usage_error("--try " + name + ": " + refusal->error().message);
}

void check_values(const dimension& dimension, const replay_input& input) {
    std::string first_refusal;
    for (const json& value : dimension.values) {
        const auto refusal = refusal_of(input, {{dimension.name, value}});
        if (!refusal) return;
        if (first_refusal.empty()) first_refusal = refusal->what();
    }
    throw usage_error("--try " + dimension.name + ": " + first_refusal);
}

std::vector<dimension> dimensions_of(const tune_options& options, const replay_input& input, const json& whole) {
    std::vector<dimension> out;
    for (const std::string& text : options.tries) {
        if (const std::string name = text.substr(0, text.find('=')); !name.empty()) check_name(name, input);
        out.push_back(read_dimension(text));
        check_values(out.back(), input);
    }
    return out.empty() ? usual_dimensions(whole) : out;
}

void validate(candidate& candidate, const parts& parts, const tune_options& options) {
    if (!parts.has_held_out) return;
    candidate.held_out = figures_of(report_of(parts.held_out, candidate.changes), options);
    candidate.was_held_out = true;
}

verdict judge(search& search, const parts& parts, const tune_options& options) {
    verdict out{{json::object(), figures_of(report_of(parts.train, json::object()), options), {}, false}};
    validate(out.baseline, parts, options);
    for (candidate* candidate : search.best(max_validated)) {
        validate(*candidate, parts, options);
        if (out.best == nullptr && candidate->held_out.broken_limit.empty()) out.best = candidate;
    }
    if (out.best == nullptr) out.nearest = search.nearest();
    const bool stays =
        out.best == nullptr || (out.baseline.broken_limit().empty() && !is_better(*out.best, out.baseline));
    out.changes = stays ? json::object() : out.best->changes;
    const json policy = json::parse(gputide::policy::open(parts.train.manifest, parts.train.options).describe());
    out.diff = manifest_diff(policy, out.changes);
    out.patch = merge_patch(parts.train.manifest, parts.train.scaler, out.changes);
    return out;
}

json verdict_json(const verdict& verdict, const std::vector<candidate>& candidates) {
    const candidate& baseline = verdict.baseline;
    json out = {{"baseline", {{"train", figures_json(baseline.train)}, {"held_out", figures_json(baseline.held_out)}}},
                {"changes", verdict.changes},
                {"diff", verdict.diff},
                {"patch", json::parse(verdict.patch.dump())},
                {"newer_fields", newer_fields(verdict.changes)},
                {"best", nullptr},
                {"nearest", nullptr},
                {"candidates", json::array()}};
    if (verdict.best != nullptr) {
        out["best"] = {{"set", verdict.best->changes},
                       {"train", figures_json(verdict.best->train)},
                       {"held_out", figures_json(verdict.best->held_out)}};
    }
    if (verdict.nearest != nullptr) {
        out["nearest"] = {{"set", verdict.nearest->changes}, {"train", figures_json(verdict.nearest->train)}};
    }
    for (const candidate& candidate : candidates) {
        json line = {{"set", candidate.changes}, {"train", figures_json(candidate.train)}};
        if (candidate.was_held_out) line["held_out"] = figures_json(candidate.held_out);
        out["candidates"].push_back(std::move(line));
    }
    return out;
}

std::string rejected_text(const std::vector<candidate>& candidates, bool each) {
    std::map<std::string, int> counts;  // by limit, or by what does not fit, without its figures
    std::string lines;
    for (const candidate& candidate : candidates) {
        const broken_limit& limit = candidate.broken_limit();
        if (limit.empty()) continue;
        ++counts[limit.flag.empty() ? limit.text.substr(0, limit.text.find_last_not_of("0123456789., ") + 1)
                                    : limit.flag];
        if (!each) continue;
        lines += "  " + candidate.changes.dump() + ": " + limit.text +
                 (candidate.train.broken_limit.empty() ? " (held-out part)" : "") + "\n";
    }
    std::string sums;
    for (const auto& [limit, count] : counts)
        sums += (sums.empty() ? "" : ", ") + std::to_string(count) + " by " + limit;
    return "rejected: " + (sums.empty() ? "none" : sums) + "\n" + lines;
}

std::string candidate_text(const char* heading, const candidate& candidate) {
    std::string out = heading + figures_text(candidate.train) + "\n";
    if (candidate.was_held_out) out += "  held out: " + figures_text(candidate.held_out) + "\n";
    return out;
}

std::string heading_text(const replay_input& input, const json& whole, std::size_t candidates,
                         const tune_options& options) {
    const std::string days = figure(number_at(whole.at("summary"), "duration_hours") / 24, 2);
    return input.scaler + ": " + std::to_string(candidates) + " candidates over " + days +
           (days == "1" ? " day" : " days") + ", the last " + figure(options.holdout * 100) + " % held out; " +
           text_at(whole.at("model"), "name") + " loop, seed " + std::to_string(options.replay.seed) + "\n";
}

std::string verdict_text(const verdict& verdict, const std::string& file) {
    if (verdict.best == nullptr) {
        std::string none = "no candidate keeps the limits; raise a limit, or try other values by --try\n";
        if (verdict.nearest == nullptr) return none;
        return none + candidate_text("nearest:   ", *verdict.nearest) + "  by " + verdict.nearest->changes.dump() +
               "\n";
    }
    const std::string best = candidate_text("best:      ", *verdict.best);
    if (verdict.diff.empty()) return best + "the manifest is as good as the best candidate; nothing to change\n";
    std::string out = best + "to apply:\n--- " + file + "\n+++ " + file + "\n" + verdict.diff;
    if (!verdict.patch.is_null())
        out += "as a patch for kubectl patch --type=merge -p:\n" + verdict.patch.dump() + "\n";
    for (const std::string& note : newer_fields(verdict.changes)) out += "note: " + note + "\n";
    return out;
}

choice choice_of(const candidate& candidate, std::string name, const char* kind) {
    const daily_figures& figures = candidate.train;
    choice out{std::move(name), kind, {}, {}, {}, {}, candidate.broken_limit().text};
    if (!std::isfinite(figures.excess)) return out;  // impossible settings
    out.gpu_hours = figures.gpu_hours;
    out.minutes_above = figures.above_minutes;
    out.flaps = figures.flaps;
    out.max_replicas = figures.max_replicas;
    return out;
}

std::string page_of(const verdict& verdict, const std::vector<candidate>& candidates, const parts& parts,
                    const std::string& heading) {
    choices out;
    out.title = parts.train.scaler;
    out.subtitle = heading.substr(heading.find(": ") + 2) + "; the figures are of the part that was searched";
    out.per_day = true;
    const json train = report_of(parts.train, json::object());
    const double days = std::max(number_at(train.at("summary"), "duration_hours") / 24.0, 1e-9);
    if (const auto recorded = recorded_choice(train, days)) out.rows.push_back(*recorded);
    out.rows.push_back(choice_of(verdict.baseline, "the manifest as it is", "now"));
    for (const candidate& tried : candidates) {
        const char* const kind = &tried == verdict.best ? "best" : tried.broken_limit().empty() ? "kept" : "broken";
        out.rows.push_back(choice_of(tried, tried.changes.dump(), kind));
    }
    out.diff = verdict.diff;
    out.patch = verdict.patch;
    out.notes = newer_fields(verdict.changes);
    out.conclusion = verdict.best != nullptr ? "The best, " + figures_text(verdict.best->train)
                     : verdict.nearest != nullptr
                         ? "No candidate keeps the limits; the nearest, " + figures_text(verdict.nearest->train)
                         : "No candidate keeps the limits.";
    return choices_page(out);
}

int tune(const tune_options& options) {
    replay_input input = read_replay_input(options.replay);
    if (input.pools.is_null()) input.settings["events"] = 0;
    input.settings["chart_points"] = 0;
    const json whole = report_of(input, json::object());
    fix_levels(input, whole);  // "above target" means the same for every candidate
    const std::vector<dimension> dimensions = dimensions_of(options, input, whole);
    const parts parts = split_series(input, whole, options.holdout);
    search search(options, parts.train, dimensions);
    search.run();
    const verdict verdict = judge(search, parts, options);
    if (!options.replay.html.empty()) {
        const std::string heading = heading_text(input, whole, search.candidates().size(), options);
        const std::string page = page_of(verdict, search.candidates(), parts, heading.substr(0, heading.size() - 1));
        replace_text(options.replay.html, page, readers::everybody);
    }
    if (options.replay.shared.json()) {
        std::cout << verdict_json(verdict, search.candidates()).dump() << "\n";
    } else {
        std::cout << heading_text(input, whole, search.candidates().size(), options)
                  << candidate_text("as it is:  ", verdict.baseline) << rejected_text(search.candidates(), options.all)
                  << verdict_text(verdict, input.file);
    }
    return verdict.best != nullptr ? done : finding;
}

void add_flags(CLI::App& app, tune_options& options) {
    add_replay_options(app, options.replay, "write a page with all candidates here: one file, which loads nothing");
    add_options(app, "Limits, each per day",
                {option_row("--most-above", &options.max_above, "minutes above target").type("N").range(0),
                 option_row("--most-flaps", &options.max_flaps, "flaps").type("N").range(0),
                 option_row("--most-replicas", &options.max_replicas, "replicas at any time").type("N").range(0)});
    add_options(
        app, "The search",
        {{"--try", &options.tries,
          "a setting and its values: threshold=40:90:5 or tolerance=0.05,0.1; repeatable; default: the usual settings "
          "around the manifest's own values"},
         option_row("--candidates", &options.candidates, "maximum, before the best are refined").range(1, 1'000'000),
         option_row("--holdout", &options.holdout, "share of the series, at its end, only for validation")
             .range(0, 0.9),
         option_row("--jobs", &options.jobs, "threads; 0: one per core").range(0, 1024),
         {"--all", &options.all, "list each rejected candidate with the limit that it broke"}});
}

}  // namespace

void add_tune(subcommands& commands) {
    commands.add(
        "replay-tune",
        "gputided replay tune: the settings that need the fewest GPU-hours within your limits, as a diff to apply",
        "gputided replay tune -f so.yaml --series day.csv --model closed --most-above 10 --most-flaps 4", &tune,
        &add_flags);
}

}  // namespace gputided
