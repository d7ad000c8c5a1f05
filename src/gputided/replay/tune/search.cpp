// The search of replay tune, and the figures and limits by which it compares candidates.
#include "common/log.hpp"
#include "common/text.hpp"
#include "replay/tune/tune.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <unistd.h>

namespace gputided {

namespace {

constexpr double clear_share = 0.1;  // a figure is clearly worse if it is more than a tenth higher

// A figure with its limit.
struct measure {
    double value;
    double limit;       // below 0: no limit
    const char* unit;   // "flaps a day"
    const char* flag;   // sets the limit
    double min_change;  // a smaller difference is ignored
};

std::array<measure, 4> measures_of(const daily_figures& figures, const daily_limits& limits) {
    return {measure{figures.above_minutes, limits.above_minutes, "minutes above target a day", "--max-above", 1},
            measure{figures.late_minutes, limits.late_minutes, "minutes late (p95)", "--max-lateness", 0.5},
            measure{figures.flaps, limits.flaps, "flaps a day", "--max-flaps", 1},
            measure{static_cast<double>(figures.max_replicas), static_cast<double>(limits.replicas), "replicas",
                    "--max-replicas", 1}};
}

// Returns for example "2.86 flaps a day, at most 0 (--max-flaps)" for 2.857 and 0.
broken_limit beyond(const measure& measure, bool is_todays) {
    const std::string limit = figure(measure.limit, 2);
    const std::string found = figure(measure.value, 2) + " " + measure.unit + ", at most " + limit;
    if (!is_todays) return {std::string(measure.flag) + " " + limit, found + " (" + measure.flag + ")"};
    return {std::string("today's ") + measure.unit, found + " as today (" + measure.flag + " sets another limit)"};
}

// Returns the figures in a replay's report, or in {"refused": reason} for settings that do not fit the manifest.
daily_figures figures_of(const json& report) {
    daily_figures out;
    if (report.contains("refused")) {
        out.broken_limit.text = report.at("refused");
        out.excess = INFINITY;
        return out;
    }
    const json& summary = report.at("summary");
    const double days = std::max(number_at(summary, "duration_hours") / 24.0, 1e-9);
    out.gpu_hours = number_at(summary, "gpu_hours") / days;
    const double price = number_at(report.at("policy"), "cost_per_gpu_hour");
    if (price > 0) out.cost = out.gpu_hours * price;
    if (report.contains("nodes")) out.node_cost = number_at(report.at("nodes"), "cost") / days;
    out.above_minutes = number_at(summary, "minutes_above_target") / days;
    out.late_minutes = lateness_minutes(summary, "p95").value_or(0);
    out.flaps = number_at(summary, "flaps") / days;
    out.max_replicas = summary.at("most_replicas");
    return out;
}

// Sets broken_limit and excess.
void check_limits(daily_figures& figures, const daily_limits& limits) {
    if (std::isinf(figures.excess)) return;
    for (const measure& measure : measures_of(figures, limits)) {
        if (measure.limit < 0 || measure.value <= measure.limit) continue;
        const bool is_todays = limits.above_is_todays && std::string_view(measure.flag) == "--max-above";
        if (figures.broken_limit.empty()) figures.broken_limit = beyond(measure, is_todays);
        figures.excess += (measure.value - measure.limit) / std::max(measure.limit, 1.0);
    }
}

// Compares the cost of nodes if known, then GPU-hours, time above target and flaps.
bool is_better(const candidate& a, const candidate& b) {
    const auto key = [](const candidate& candidate) {
        return std::make_tuple(candidate.train.node_cost.value_or(0.0), candidate.train.gpu_hours,
                               candidate.train.above_minutes, candidate.train.flaps);
    };
    return key(a) < key(b);
}

constexpr double similar_cost = 1.01;   // within one percent of the cost, the candidate with the fewest flaps wins
constexpr std::size_t max_refined = 3;  // number of best candidates with neighbors to try

// Returns the replay of an input with these changes; {"refused": reason} for impossible settings, such as min above max, which do
// not end the search.
json report_or_refusal(const replay_input& input, const json& changes) {
    try {
        return report_of(input, changes);
    } catch (const gputide::failure& failure) {
        if (failure.status() != GPUTIDE_E_INVALID) throw;
        return {{"refused", failure.what()}};
    }
}

void show_stage(const char* stage, std::size_t finished, std::size_t all) {
    if (all == 1) return;  // while a candidate is simplified
    const std::string start = std::string("tune: ") + stage + ", ", end = std::to_string(all) + " candidates";
    if (::isatty(STDERR_FILENO) == 1) {
        show_progress(start + std::to_string(finished) + " of " + end, finished == all);
    } else if (finished == all) {
        log_line(start + end);
    }
}

// Replays an input with different changes on several threads, 0: one per core.  The reports are in the order of the changes.
// stage: for the progress on stderr.
std::vector<json> replay_all(const char* stage, const replay_input& input, const std::vector<json>& changes,
                             std::int32_t threads) {
    std::vector<json> out(changes.size());
    std::atomic<std::size_t> next{0};
    std::mutex lock;  // guards the two below
    std::size_t finished = 0;
    std::exception_ptr failed;
    const auto work = [&] {
        for (std::size_t at = next++; at < changes.size(); at = next++) {
            try {
                out[at] = report_or_refusal(input, changes[at]);
                const std::lock_guard hold(lock);
                show_stage(stage, ++finished, changes.size());
            } catch (const std::exception&) {
                const std::lock_guard hold(lock);
                failed = std::current_exception();
                next = changes.size();
            }
        }
    };
    std::vector<std::thread> others;
    const unsigned wanted = threads > 0 ? static_cast<unsigned>(threads) : std::thread::hardware_concurrency();
    try {
        for (unsigned i = 1; i < wanted; ++i) others.emplace_back(work);
    } catch (const std::system_error&) {  // the system has no further thread: those that run replay everything
    }
    work();
    for (std::thread& thread : others) thread.join();
    if (failed) std::rethrow_exception(failed);
    return out;
}

double cost_of(const candidate& candidate) { return candidate.train.node_cost.value_or(candidate.train.gpu_hours); }

double flaps_of(const candidate& candidate) { return candidate.train.flaps + candidate.held_out.flaps; }

bool holds(const candidate& candidate) { return candidate.broken_limit().empty(); }

// The search for the cheapest candidate that keeps the limits in both parts, with many replays on several threads.  The result
// depends on the seed, not on the number of threads.
class search {
  public:
    // options and parts must outlive this object.  policy: of gputide_policy_describe.
    search(const tune_options& options, const series_parts& parts, json policy, std::vector<dimension> dimensions)
        : options_(options),
          parts_(parts),
          policy_(std::move(policy)),
          dimensions_(std::move(dimensions)),
          held_out_limits_(options.limits) {
        found_.limits = options.limits;
    }

    // Runs the search with progress on stderr.
    search_result run() {
        const auto budget = static_cast<std::size_t>(std::max(options_.candidates, 1));
        try_baseline();
        try_all("searching", combinations(dimensions_, budget, static_cast<std::uint64_t>(options_.replay.seed)));
        std::vector<json> near;
        for (const candidate* candidate : cheapest(max_refined)) {
            for (json& changes : neighbors(dimensions_, candidate->changes)) near.push_back(std::move(changes));
        }
        try_all("refining", near);
        validate("validating", unvalidated());
        candidate* const chosen = calmest();
        if (chosen != nullptr) {
            found_.best = with_fewest_changes(chosen);
            return std::move(found_);
        }
        candidate* const nearest = nearest_to_limits();
        if (nearest != nullptr && !nearest->was_held_out) validate("validating", {nearest});
        found_.nearest = nearest;
        return std::move(found_);
    }

  private:
    // Replays the unchanged manifest.  If no limit for time above target or lateness is given, its time above target becomes the
    // limit, so that a cheaper setting is never later.
    void try_baseline() {
        found_.candidates.push_back({json::object(), figures_of(report_of(parts_.train, json::object())), {}, false});
        candidate& now = found_.candidates.front();
        known_[now.changes.dump()] = &now;
        if (parts_.held_out) now.held_out = figures_of(report_of(*parts_.held_out, json::object()));
        now.was_held_out = parts_.held_out.has_value();
        if (options_.limits.above_minutes < 0 && options_.limits.late_minutes < 0) {
            found_.limits.above_is_todays = held_out_limits_.above_is_todays = true;
            found_.limits.above_minutes = now.train.above_minutes;
            held_out_limits_.above_minutes = now.held_out.above_minutes;
        }
        check_limits(now.train, found_.limits);
        if (now.was_held_out) check_limits(now.held_out, held_out_limits_);
    }

    void try_all(const char* stage, const std::vector<json>& combinations) {
        std::vector<json> fresh;
        for (const json& combination : combinations) {
            json changes = without_present_values(policy_, combination);
            if (known_.emplace(changes.dump(), nullptr).second) fresh.push_back(std::move(changes));
        }
        const std::vector<json> reports = replay_all(stage, parts_.train, fresh, options_.jobs);
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            found_.candidates.push_back({fresh[i], figures_of(reports[i]), {}, false});
            check_limits(found_.candidates.back().train, found_.limits);
            known_[fresh[i].dump()] = &found_.candidates.back();
        }
    }

    void validate(const char* stage, const std::vector<candidate*>& chosen) {
        if (!parts_.held_out) return;
        std::vector<json> changes;
        for (const candidate* candidate : chosen) changes.push_back(candidate->changes);
        const std::vector<json> reports = replay_all(stage, *parts_.held_out, changes, options_.jobs);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            chosen[i]->held_out = figures_of(reports[i]);
            check_limits(chosen[i]->held_out, held_out_limits_);
            chosen[i]->was_held_out = true;
        }
    }

    // Returns the candidates that keep the limits in the first part, cheapest first.
    std::vector<candidate*> cheapest(std::size_t max_count) {
        std::vector<candidate*> out;
        for (candidate& candidate : found_.candidates) {
            if (candidate.train.broken_limit.empty()) out.push_back(&candidate);
        }
        std::stable_sort(out.begin(), out.end(),
                         [](const candidate* a, const candidate* b) { return is_better(*a, *b); });
        if (out.size() > max_count) out.resize(max_count);
        return out;
    }

    // Returns all candidates that keep the limits in the first part and were not validated: the cheapest ones often break a limit in
    // the second part.
    std::vector<candidate*> unvalidated() {
        std::vector<candidate*> out = cheapest(found_.candidates.size());
        std::erase_if(out, [](const candidate* candidate) { return candidate->was_held_out; });
        return out;
    }

    candidate* calmest() {
        std::vector<candidate*> held = cheapest(found_.candidates.size());
        std::erase_if(held, [](const candidate* candidate) { return !holds(*candidate); });
        if (held.empty()) return nullptr;
        const double max_cost = cost_of(*held.front()) * similar_cost;
        std::erase_if(held, [max_cost](const candidate* candidate) { return cost_of(*candidate) > max_cost; });
        const auto rank = [](const candidate* candidate) {
            return std::make_pair(flaps_of(*candidate), candidate->changes.size());
        };
        return *std::min_element(held.begin(), held.end(),
                                 [&](const candidate* a, const candidate* b) { return rank(a) < rank(b); });
    }

    // Removes each change that affects neither cost nor flaps, as long as the limits are kept.
    candidate* with_fewest_changes(candidate* chosen) {
        const double max_cost = cost_of(*chosen) * similar_cost;
        for (auto name = chosen->changes.begin(); name != chosen->changes.end();) {
            json fewer = chosen->changes;
            fewer.erase(name.key());
            candidate* const simpler = tried(fewer);
            if (holds(*simpler) && cost_of(*simpler) <= max_cost && flaps_of(*simpler) <= flaps_of(*chosen)) {
                chosen = simpler;
                name = chosen->changes.begin();
            } else {
                ++name;
            }
        }
        return chosen;
    }

    candidate* tried(const json& changes) {
        const json wanted = without_present_values(policy_, changes);  // the form in which try_all() stores it
        try_all("simplifying", {wanted});
        candidate* const out = known_.at(wanted.dump());
        if (out->train.broken_limit.empty() && !out->was_held_out) validate("simplifying", {out});
        return out;
    }

    candidate* nearest_to_limits() {
        candidate* out = nullptr;
        for (candidate& tried : found_.candidates) {
            if (std::isfinite(tried.excess()) && (out == nullptr || tried.excess() < out->excess())) out = &tried;
        }
        return out;
    }

    const tune_options& options_;
    const series_parts& parts_;
    json policy_;
    std::vector<dimension> dimensions_;
    daily_limits held_out_limits_;
    search_result found_;
    std::map<std::string, candidate*> known_;  // by changes
};

}  // namespace

std::vector<std::string> worse_measures(const candidate& now, const candidate& proposed, const daily_limits& limits) {
    std::vector<std::string> out;
    std::set<std::string> named;
    for (const bool held_out : {false, true}) {
        const auto before = measures_of(held_out ? now.held_out : now.train, limits);
        const auto after = measures_of(held_out ? proposed.held_out : proposed.train, limits);
        for (std::size_t i = 0; i < before.size(); ++i) {
            const double change = after[i].value - before[i].value;
            const bool is_worse = change >= before[i].min_change && change > before[i].value * clear_share;
            if (before[i].limit >= 0 || !is_worse || !named.insert(before[i].unit).second) continue;
            out.push_back("worse than today, and without a limit: " + figure(after[i].value) + " " + before[i].unit +
                          " instead of " + figure(before[i].value) + (held_out ? " in the held-out part" : "") + "; " +
                          before[i].flag + " sets a limit");
        }
    }
    return out;
}

json figures_json(const daily_figures& figures) {
    json out{{"gpu_hours_per_day", figures.gpu_hours},
             {"minutes_above_target_per_day", figures.above_minutes},
             {"lateness_p95_minutes", figures.late_minutes},
             {"flaps_per_day", figures.flaps},
             {"most_replicas", figures.max_replicas},
             {"broke", figures.broken_limit.empty() ? json() : json(figures.broken_limit.text)}};
    if (figures.cost) out["cost_per_day"] = *figures.cost;
    if (figures.node_cost) out["node_cost_per_day"] = *figures.node_cost;
    return out;
}

std::string figures_text(const daily_figures& figures) {
    return "a day: " + (figures.node_cost ? "nodes for " + figure(*figures.node_cost, 2) + ", " : "") +
           figure(figures.gpu_hours, 2) + " GPU-hours, " +
           (figures.cost ? "cost " + figure(*figures.cost, 2) + ", " : "") + figure(figures.above_minutes, 1) +
           " min above target, late " + figure(figures.late_minutes, 1) + " min (p95), " + figure(figures.flaps, 1) +
           " flaps; at most " + std::to_string(figures.max_replicas) + " replicas" +
           (figures.broken_limit.empty() ? "" : "; breaks: " + figures.broken_limit.text);
}

search_result search_settings(const tune_options& options, const series_parts& parts, const json& policy,
                              std::vector<dimension> dimensions) {
    return search(options, parts, policy, std::move(dimensions)).run();
}

}  // namespace gputided
