#include "common/log.hpp"
#include "replay/tune/tune.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gputided {

namespace {

constexpr double similar_cost = 1.01;   // within one percent of the cost, the candidate with the fewest flaps wins
constexpr std::size_t max_refined = 3;  // number of best candidates with neighbors to try

// Replays an input with different changes on several threads.  The reports are in the order of the changes.
class parallel_replay {
  public:
    // stage: for the progress on stderr.
    parallel_replay(const char* stage, const replay_input& input, const std::vector<json>& changes)
        : stage_(stage), input_(input), changes_(changes), reports_(changes.size()) {}

    std::vector<json> run(unsigned threads) {
        std::vector<std::thread> others;
        for (unsigned i = 1; i < std::max(threads, 1U); ++i) others.emplace_back([this] { work(); });
        work();
        for (std::thread& thread : others) thread.join();
        if (failed_) std::rethrow_exception(failed_);
        return std::move(reports_);
    }

  private:
    void work() {
        for (std::size_t at = next_++; at < changes_.size(); at = next_++) {
            try {
                reports_[at] = report_of(input_, changes_[at]);
            } catch (const gputide::failure& failure) {
                // Impossible settings, such as min above max, do not end the search.
                if (failure.status() != GPUTIDE_E_INVALID) return give_up();
                reports_[at] = {{"refused", failure.what()}};
            }
            const std::lock_guard hold(lock_);
            show(++finished_);
        }
    }

    void show(std::size_t finished) const {
        const std::size_t all = changes_.size();
        if (all == 1) return;  // while a candidate is simplified
        const std::string start = std::string("tune: ") + stage_ + ", ", end = std::to_string(all) + " candidates";
        if (::isatty(STDERR_FILENO) == 1) {
            show_progress(start + std::to_string(finished) + " of " + end, finished == all);
        } else if (finished == all) {
            log_line(start + end);
        }
    }

    void give_up() {
        const std::lock_guard hold(lock_);
        failed_ = std::current_exception();
        next_ = changes_.size();
    }

    const char* const stage_;
    const replay_input& input_;
    const std::vector<json>& changes_;
    std::vector<json> reports_;
    std::atomic<std::size_t> next_{0};
    std::mutex lock_;  // guards the members below
    std::size_t finished_ = 0;
    std::exception_ptr failed_;
};

unsigned thread_count(const tune_options& options) {
    return options.jobs > 0 ? static_cast<unsigned>(options.jobs) : std::max(std::thread::hardware_concurrency(), 1U);
}

double cost_of(const candidate& candidate) { return candidate.train.node_cost.value_or(candidate.train.gpu_hours); }

double flaps_of(const candidate& candidate) { return candidate.train.flaps + candidate.held_out.flaps; }

bool holds(const candidate& candidate) { return candidate.broken_limit().empty(); }

}  // namespace

search::search(const tune_options& options, const series_parts& parts, json policy, std::vector<dimension> dimensions)
    : options_(options),
      parts_(parts),
      policy_(std::move(policy)),
      dimensions_(std::move(dimensions)),
      train_limits_(options.limits),
      held_out_limits_(options.limits) {}

void search::run() {
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
        best_ = with_fewest_changes(chosen);
        return;
    }
    nearest_ = nearest_to_limits();
    if (nearest_ != nullptr && !nearest_->was_held_out) validate("validating", {nearest_});
}

// Replays the unchanged manifest.  If no limit for time above target or lateness is given, its time above target becomes the
// limit, so that a cheaper setting is never later.
void search::try_baseline() {
    candidates_.push_back({json::object(), figures_of(report_of(parts_.train, json::object())), {}, false});
    candidate& now = candidates_.front();
    known_[now.changes.dump()] = &now;
    if (parts_.held_out) now.held_out = figures_of(report_of(*parts_.held_out, json::object()));
    now.was_held_out = parts_.held_out.has_value();
    if (options_.limits.above_minutes < 0 && options_.limits.late_minutes < 0) {
        train_limits_.above_is_todays = held_out_limits_.above_is_todays = true;
        train_limits_.above_minutes = now.train.above_minutes;
        held_out_limits_.above_minutes = now.held_out.above_minutes;
    }
    check_limits(now.train, train_limits_);
    if (now.was_held_out) check_limits(now.held_out, held_out_limits_);
}

void search::try_all(const char* stage, const std::vector<json>& combinations) {
    std::vector<json> fresh;
    for (const json& combination : combinations) {
        json changes = without_present_values(policy_, combination);
        if (known_.emplace(changes.dump(), nullptr).second) fresh.push_back(std::move(changes));
    }
    const std::vector<json> reports = parallel_replay(stage, parts_.train, fresh).run(thread_count(options_));
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        candidates_.push_back({fresh[i], figures_of(reports[i]), {}, false});
        check_limits(candidates_.back().train, train_limits_);
        known_[fresh[i].dump()] = &candidates_.back();
    }
}

void search::validate(const char* stage, const std::vector<candidate*>& chosen) {
    if (!parts_.held_out) return;
    std::vector<json> changes;
    for (const candidate* candidate : chosen) changes.push_back(candidate->changes);
    const std::vector<json> reports = parallel_replay(stage, *parts_.held_out, changes).run(thread_count(options_));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        chosen[i]->held_out = figures_of(reports[i]);
        check_limits(chosen[i]->held_out, held_out_limits_);
        chosen[i]->was_held_out = true;
    }
}

// Returns the candidates that keep the limits in the first part, cheapest first.
std::vector<candidate*> search::cheapest(std::size_t max_count) {
    std::vector<candidate*> out;
    for (candidate& candidate : candidates_) {
        if (candidate.train.broken_limit.empty()) out.push_back(&candidate);
    }
    std::stable_sort(out.begin(), out.end(), [](const candidate* a, const candidate* b) { return is_better(*a, *b); });
    if (out.size() > max_count) out.resize(max_count);
    return out;
}

// Returns all candidates that keep the limits in the first part and were not validated: the cheapest ones often break a limit in
// the second part.
std::vector<candidate*> search::unvalidated() {
    std::vector<candidate*> out = cheapest(candidates_.size());
    std::erase_if(out, [](const candidate* candidate) { return candidate->was_held_out; });
    return out;
}

candidate* search::calmest() {
    std::vector<candidate*> held = cheapest(candidates_.size());
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
candidate* search::with_fewest_changes(candidate* chosen) {
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

candidate* search::tried(const json& changes) {
    const json wanted = without_present_values(policy_, changes);  // the form in which try_all() stores it
    try_all("simplifying", {wanted});
    candidate* const out = known_.at(wanted.dump());
    if (out->train.broken_limit.empty() && !out->was_held_out) validate("simplifying", {out});
    return out;
}

candidate* search::nearest_to_limits() {
    candidate* out = nullptr;
    for (candidate& tried : candidates_) {
        if (std::isfinite(tried.excess()) && (out == nullptr || tried.excess() < out->excess())) out = &tried;
    }
    return out;
}

}  // namespace gputided
