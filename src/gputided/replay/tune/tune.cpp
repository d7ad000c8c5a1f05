#include "replay/tune/tune.hpp"

#include "common/files.hpp"
#include "common/log.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace gputided {

namespace {

// The result of a search and the changes to apply.
struct verdict {
    search_result found;
    json changes;  // empty: no candidate is better than the manifest
    std::string diff;
    ordered_json patch;   // for kubectl patch --type=merge; null: the manifest could not be read
    std::string command;  // that applies the patch; "": there is none
    std::vector<std::string> newer_fields;
    std::vector<std::string> notes;  // worse figures, new fields, and short series
};

series_parts split_series(const replay_input& input, const json& whole, double holdout) {
    const std::int64_t from_ms = parse_time_ms(text_at(whole.at("summary"), "from"));
    const std::int64_t to_ms = parse_time_ms(text_at(whole.at("summary"), "to"));
    const auto held_out_ms = static_cast<std::int64_t>(static_cast<double>(to_ms - from_ms) * holdout);
    series_parts out{input, std::nullopt};
    out.train.settings["to_ms"] = to_ms - held_out_ms;
    if (!(holdout > 0)) return out;
    json& settings = out.held_out.emplace(input).settings;
    settings["from_ms"] = to_ms - held_out_ms;
    settings.erase("to_ms");
    // In the second part a forecast continues with what it has learned in the first part.
    constexpr std::int64_t max_history_ms = 28LL * 86'400'000;
    if (forecasts(whole)) {
        settings["set"]["forecast_history_ms"] = std::min(to_ms - from_ms - held_out_ms, max_history_ms);
    }
    return out;
}

// Reports an unknown setting before a long search.
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

std::vector<dimension> dimensions_of(const tune_options& options, const replay_input& input, const json& whole,
                                     const json& policy) {
    const field_support tolerance = tolerance_support(input.manifest, input.scaler);
    std::vector<dimension> out;
    for (const std::string& text : options.tries) {
        if (const std::string name = text.substr(0, text.find('=')); !name.empty()) check_name(name, input);
        out.push_back(read_dimension(text));
        check_values(out.back(), input);
        if (out.back().name == "tolerance" && tolerance == field_support::missing) {
            throw usage_error("--try " + text +
                              ": behavior's tolerance needs Kubernetes 1.33; gputide.io/hpa-version is older");
        }
    }
    return out.empty() ? usual_dimensions(whole, policy, tolerance == field_support::known) : out;
}

// Returns a note if figures per day are extrapolated from a shorter series.
std::string short_series_note(const json& whole, double holdout) {
    const double hours = number_at(whole.at("summary"), "duration_hours");
    if (hours * (1 - holdout) >= 24) return "";
    return "the daily figures are extrapolated from " + figure(hours * (1 - holdout)) + " h, and from " +
           figure(hours * holdout) + " h held out; a series of several days is more reliable";
}

verdict judge(search_result found, const replay_input& input, const json& policy, const std::string& note) {
    verdict out;
    out.found = std::move(found);
    const candidate* const best = out.found.best;
    out.changes = best != nullptr ? best->changes : json::object();
    out.diff = manifest_diff(policy, out.changes);
    out.patch = merge_patch(input.manifest, input.scaler, policy, out.changes);
    if (!out.patch.is_null()) out.command = patch_command(policy, out.patch);
    if (best != nullptr) out.notes = worse_measures(out.found.baseline(), *best, out.found.limits);
    out.newer_fields = newer_fields(out.changes, tolerance_support(input.manifest, input.scaler));
    out.notes.insert(out.notes.end(), out.newer_fields.begin(), out.newer_fields.end());
    if (!note.empty()) out.notes.push_back(note);
    return out;
}

json both_parts(const candidate& candidate) {
    json out{{"set", candidate.changes}, {"train", figures_json(candidate.train)}};
    if (candidate.was_held_out) out["held_out"] = figures_json(candidate.held_out);
    return out;
}

json verdict_json(const verdict& verdict) {
    const search_result& found = verdict.found;
    json out = {{"baseline", both_parts(found.baseline())},
                {"changes", verdict.changes},
                {"diff", verdict.diff},
                {"patch", json(verdict.patch)},
                {"newer_fields", verdict.newer_fields},
                {"notes", verdict.notes},
                {"best", found.best == nullptr ? json() : both_parts(*found.best)},
                {"nearest", found.nearest == nullptr ? json() : both_parts(*found.nearest)},
                {"candidates", json::array()}};
    for (const candidate& candidate : found.candidates) out["candidates"].push_back(both_parts(candidate));
    return out;
}

std::string rejected_text(const std::deque<candidate>& candidates, bool lists_each) {
    std::map<std::string, int> counts;  // by limit, or by rejection reason without its figures
    std::string lines;
    for (const candidate& candidate : candidates) {
        const broken_limit& limit = candidate.broken_limit();
        if (limit.empty()) continue;
        ++counts[limit.flag.empty() ? limit.text.substr(0, limit.text.find_last_not_of("0123456789., ") + 1)
                                    : limit.flag];
        if (!lists_each) continue;
        lines += "  " + changes_text(candidate.changes) + ": " + limit.text +
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

// Returns the number of candidates that keep the limits, by part.
std::string validated_text(const search_result& found) {
    int first = 0;
    int both = 0;
    for (const candidate& candidate : found.candidates) {
        first += candidate.train.broken_limit.empty() ? 1 : 0;
        both += candidate.broken_limit().empty() ? 1 : 0;
    }
    return "within the limits: " + std::to_string(first) + " of " + std::to_string(found.candidates.size()) +
           " in the first part, " + std::to_string(both) + " of these in the held-out part too\n";
}

std::string limits_text(const search_result& found) {
    if (!found.limits.above_is_todays) return "";
    return "limit:     today's minutes above target; --max-above sets another limit\n";
}

std::string verdict_text(const verdict& verdict, const std::string& file) {
    std::string notes;
    for (const std::string& note : verdict.notes) notes += "note: " + note + "\n";
    const auto [best, nearest] = std::pair(verdict.found.best, verdict.found.nearest);
    if (best == nullptr) {
        std::string none = "no candidate keeps the limits; raise a limit, or try other values with --try\n";
        if (nearest == nullptr) return none + notes;
        return none + candidate_text("nearest:   ", *nearest) + "  by " + changes_text(nearest->changes) + "\n" + notes;
    }
    const std::string text = candidate_text("best:      ", *best);
    if (verdict.diff.empty())
        return text + "the manifest is as good as the best candidate; nothing to change\n" + notes;
    return text + "to apply:\n--- " + file + "\n+++ " + file + "\n" + verdict.diff +
           (verdict.command.empty() ? "" : "as a command:\n" + verdict.command + "\n") + notes;
}

ordered_json page_row(const candidate& candidate, const std::string& name, const char* kind) {
    const daily_figures& figures = candidate.train;
    ordered_json out{{"name", name}, {"kind", kind}, {"broke", candidate.broken_limit().text}};
    if (!std::isfinite(figures.excess)) return out;  // impossible settings
    out["gpu_hours"] = figures.gpu_hours;
    out["cost"] = or_null(figures.cost);
    out["minutes_above"] = figures.above_minutes;
    out["late_minutes"] = figures.late_minutes;
    out["flaps"] = figures.flaps;
    out["most_replicas"] = figures.max_replicas;
    if (!candidate.was_held_out) return out;
    out["held_out_gpu_hours"] = candidate.held_out.gpu_hours;
    out["held_out_minutes_above"] = candidate.held_out.above_minutes;
    return out;
}

std::string page_conclusion(const search_result& found) {
    const std::string today = "Today, " + figures_text(found.baseline().train) + ". ";
    if (found.best != nullptr && found.best->changes.empty()) return today + "No candidate is better.";
    if (found.best != nullptr) return today + "Proposed, " + figures_text(found.best->train) + ".";
    if (found.nearest == nullptr) return today + "No candidate keeps the limits.";
    return today + "No candidate keeps the limits; the nearest, " + figures_text(found.nearest->train) + ".";
}

std::string page_of(const verdict& verdict, const series_parts& parts, const std::string& heading) {
    const search_result& found = verdict.found;
    ordered_json data{{"per_day", true},
                      {"rows", ordered_json::array()},
                      {"diff", verdict.diff},
                      {"patch", verdict.patch},
                      {"notes", verdict.notes}};
    if (!verdict.command.empty()) data["command"] = verdict.command;
    const json train = report_of(parts.train, json::object());
    const double days = std::max(number_at(train.at("summary"), "duration_hours") / 24.0, 1e-9);
    if (ordered_json recorded = recorded_row(train, days); !recorded.is_null())
        data["rows"].push_back(std::move(recorded));
    for (const candidate& tried : found.candidates) {
        const bool is_now = &tried == &found.baseline();
        const char* const kind = is_now                         ? "now"
                                 : &tried == found.best         ? "best"
                                 : tried.broken_limit().empty() ? "kept"
                                                                : "broken";
        data["rows"].push_back(page_row(tried, is_now ? "the manifest as it is" : changes_text(tried.changes), kind));
    }
    return choices_page(
        {parts.train.scaler, heading.substr(heading.find(": ") + 2) + "; the figures are of the part that was searched",
         page_conclusion(found)},
        data);
}

int tune(const tune_options& given) {
    tune_options options = given;
    if (!options.max_lateness.empty()) {
        const std::int64_t max_ms = parse_duration_ms(options.max_lateness, "--max-lateness");
        options.limits.late_minutes = static_cast<double>(max_ms) / 60'000;
    }
    replay_input input = read_replay_input(options.replay);
    if (input.pools.is_null()) input.settings["events"] = 0;
    input.settings["chart_points"] = 0;
    const json whole = report_of(input, json::object());
    fix_levels(input, whole);  // the same "above target" for every candidate
    const json policy = json::parse(gputide::policy::open(input.manifest, input.options).describe());
    const series_parts parts = split_series(input, whole, options.holdout);
    search_result found = search_settings(options, parts, policy, dimensions_of(options, input, whole, policy));
    const verdict verdict = judge(std::move(found), parts.train, policy, short_series_note(whole, options.holdout));
    const std::string heading = heading_text(input, whole, verdict.found.candidates.size() - 1, options);
    if (!options.replay.html.empty()) {
        const std::string page = page_of(verdict, parts, heading.substr(0, heading.size() - 1));
        replace_text(options.replay.html, page, readers::everybody);
    }
    if (options.replay.shared.json()) {
        std::cout << verdict_json(verdict).dump() << "\n";
    } else {
        std::cout << heading << candidate_text("as it is:  ", verdict.found.baseline()) << limits_text(verdict.found)
                  << rejected_text(verdict.found.candidates, options.all) << validated_text(verdict.found)
                  << verdict_text(verdict, input.file);
    }
    return verdict.found.best != nullptr ? done : finding;
}

}  // namespace

void add_tune(subcommands& commands) {
    tune_options& options = commands.add(
        "replay-tune", "Find the settings with the fewest GPU-hours within your limits, and print a diff to apply",
        "gputided replay tune -f so.yaml --series day.csv --model closed --max-above 10 --max-flaps 4", &tune);
    CLI::App& app = commands.app();
    add_replay_options(app, options.replay, "write a page with all candidates: an HTML file that loads nothing");
    option_list add(app, "Limits, each per day");
    add("--max-above N", options.limits.above_minutes,
        "minutes above target; default without --max-lateness: as with the unchanged manifest")
        .range(0);
    add("--max-lateness DURATION", options.max_lateness,
        "time from a rise of the load above the target until it is below again, as 3m; for 95 % of the rises");
    add("--max-flaps N", options.limits.flaps, "flaps").range(0);
    add("--max-replicas N", options.limits.replicas, "replicas at any time").range(0);
    // Names until version 0.2; hidden in --help.
    app.add_option("--most-above", options.limits.above_minutes)->check(CLI::NonNegativeNumber)->group("");
    app.add_option("--most-flaps", options.limits.flaps)->check(CLI::NonNegativeNumber)->group("");
    app.add_option("--most-replicas", options.limits.replicas)->check(CLI::NonNegativeNumber)->group("");
    add.start_group("The search");
    add("--try", options.tries,
        "a setting and its values: threshold=40:90:5 or tolerance=0.05,0.1; repeatable; default: the usual settings "
        "around the manifest's own values");
    add("--candidates", options.candidates, "maximum, before the best are refined").range(1, 1'000'000);
    add("--holdout", options.holdout, "share of the series, at its end, only for validation").range(0, 0.9);
    add("--jobs", options.jobs, "threads; 0: one per core").range(0, 1024);
    add("--all", options.all, "list each rejected candidate with the limit that it broke");
}

}  // namespace gputided
