#include "common/log.hpp"
#include "common/text.hpp"
#include "replay/tune/tune.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace gputided {

namespace {

double share_beyond(double value, double limit) {
    return limit >= 0 && value > limit ? (value - limit) / std::max(limit, 1.0) : 0.0;
}

// Makes "2.86 flaps a day, at most 0 (--most-flaps)" of 2.857, "flaps a day", --most-flaps, 0.
broken_limit beyond(double value, const char* unit, const std::string& flag, double limit) {
    return {flag + " " + figure(limit, 2),
            figure(value, 2) + " " + unit + ", at most " + figure(limit, 2) + " (" + flag + ")"};
}

broken_limit first_broken(const daily_figures& figures, const tune_options& limits) {
    if (limits.max_above >= 0 && figures.above_minutes > limits.max_above)
        return beyond(figures.above_minutes, "minutes above target a day", "--most-above", limits.max_above);
    if (limits.max_flaps >= 0 && figures.flaps > limits.max_flaps)
        return beyond(figures.flaps, "flaps a day", "--most-flaps", limits.max_flaps);
    if (limits.max_replicas >= 0 && figures.max_replicas > limits.max_replicas)
        return beyond(figures.max_replicas, "replicas", "--most-replicas", limits.max_replicas);
    return {};
}

}  // namespace

daily_figures figures_of(const json& report, const tune_options& limits) {
    daily_figures out;
    if (report.contains("refused")) {
        out.broken_limit.text = report.at("refused");
        out.excess = INFINITY;
        return out;
    }
    const json& summary = report.at("summary");
    const double days = std::max(number_at(summary, "duration_hours") / 24.0, 1e-9);
    out.gpu_hours = number_at(summary, "gpu_hours") / days;
    if (report.contains("nodes")) out.node_cost = number_at(report.at("nodes"), "cost") / days;
    out.above_minutes = number_at(summary, "minutes_above_target") / days;
    out.flaps = number_at(summary, "flaps") / days;
    out.max_replicas = summary.at("most_replicas");
    out.broken_limit = first_broken(out, limits);
    out.excess = share_beyond(out.above_minutes, limits.max_above) + share_beyond(out.flaps, limits.max_flaps) +
                 share_beyond(out.max_replicas, limits.max_replicas);
    return out;
}

bool is_better(const candidate& a, const candidate& b) {
    const auto key = [](const candidate& candidate) {
        return std::make_tuple(candidate.train.node_cost.value_or(0.0), candidate.train.gpu_hours,
                               candidate.train.above_minutes, candidate.train.flaps);
    };
    return key(a) < key(b);
}

json figures_json(const daily_figures& figures) {
    json out{{"gpu_hours_per_day", figures.gpu_hours},
             {"minutes_above_target_per_day", figures.above_minutes},
             {"flaps_per_day", figures.flaps},
             {"most_replicas", figures.max_replicas},
             {"broke", figures.broken_limit.empty() ? json() : json(figures.broken_limit.text)}};
    if (figures.node_cost) out["node_cost_per_day"] = *figures.node_cost;
    return out;
}

std::string figures_text(const daily_figures& figures) {
    return "a day: " + (figures.node_cost ? "nodes for " + figure(*figures.node_cost, 2) + ", " : "") +
           figure(figures.gpu_hours, 2) + " GPU-hours, " + figure(figures.above_minutes, 1) + " min above target, " +
           figure(figures.flaps, 1) + " flaps; at most " + std::to_string(figures.max_replicas) + " replicas" +
           (figures.broken_limit.empty() ? "" : "; breaks: " + figures.broken_limit.text);
}

namespace {

constexpr std::size_t max_refined = 3;  // neighbors of so many best candidates are tried

// Replays one input with different changes on several threads; reports come in the order of the changes.
class parallel_replay {
  public:
    using observer = std::function<void(std::size_t finished, std::size_t all)>;  // on any thread, one at a time

    parallel_replay(const replay_input& input, const std::vector<json>& changes, observer progress)
        : input_(input), changes_(changes), progress_(std::move(progress)), reports_(changes.size()) {}

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
                // Impossible settings, such as min above max.
                if (failure.status() != GPUTIDE_E_INVALID) return give_up();
                reports_[at] = {{"refused", failure.what()}};
            }
            const std::lock_guard hold(lock_);
            progress_(++finished_, changes_.size());
        }
    }

    void give_up() {
        const std::lock_guard hold(lock_);
        failed_ = std::current_exception();
        next_ = changes_.size();
    }

    const replay_input& input_;
    const std::vector<json>& changes_;
    const observer progress_;
    std::vector<json> reports_;
    std::atomic<std::size_t> next_{0};
    std::mutex lock_;  // of the members below
    std::size_t finished_ = 0;
    std::exception_ptr failed_;
};

unsigned thread_count(const tune_options& options) {
    return options.jobs > 0 ? static_cast<unsigned>(options.jobs) : std::max(std::thread::hardware_concurrency(), 1U);
}

void show_progress(const char* stage, std::size_t finished, std::size_t all) {
    if (::isatty(STDERR_FILENO) == 1) {
        std::fprintf(stderr, "\rtune: %s, %zu of %zu candidates%s", stage, finished, all, finished == all ? "\n" : "");
    } else if (finished == all) {
        log_line(std::string("tune: ") + stage + ", " + std::to_string(all) + " candidates");
    }
}

}  // namespace

search::search(const tune_options& options, const replay_input& input, std::vector<dimension> dimensions)
    : options_(options), input_(input), dimensions_(std::move(dimensions)) {}

void search::run() {
    const auto budget = static_cast<std::size_t>(std::max(options_.candidates, 1));
    try_all("searching", combinations(dimensions_, budget, static_cast<std::uint64_t>(options_.replay.seed)));
    std::vector<json> near;
    for (const candidate* candidate : best(max_refined)) {
        for (json& changes : neighbors(dimensions_, candidate->changes)) near.push_back(std::move(changes));
    }
    try_all("refining", near);
}

void search::try_all(const char* stage, const std::vector<json>& combinations) {
    std::vector<json> fresh;
    for (const json& changes : combinations) {
        if (known_.insert(changes.dump()).second) fresh.push_back(changes);
    }
    parallel_replay replay(input_, fresh,
                           [stage](std::size_t finished, std::size_t all) { show_progress(stage, finished, all); });
    const std::vector<json> reports = replay.run(thread_count(options_));
    for (std::size_t i = 0; i < fresh.size(); ++i) {
        candidates_.push_back({fresh[i], figures_of(reports[i], options_), {}, false});
    }
}

std::vector<candidate*> search::best(std::size_t max_count) {
    std::vector<candidate*> out;
    for (candidate& candidate : candidates_) {
        if (candidate.train.broken_limit.empty()) out.push_back(&candidate);
    }
    std::stable_sort(out.begin(), out.end(), [](const candidate* a, const candidate* b) { return is_better(*a, *b); });
    if (out.size() > max_count) out.resize(max_count);
    return out;
}

const candidate* search::nearest() const {
    const candidate* out = nullptr;
    for (const candidate& tried : candidates_) {
        if (std::isfinite(tried.excess()) && (out == nullptr || tried.excess() < out->excess())) out = &tried;
    }
    return out;
}

}  // namespace gputided
