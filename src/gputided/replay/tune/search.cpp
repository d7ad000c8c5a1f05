#include "replay/tune/search.hpp"

#include "common/log.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gputided {
namespace {

using json = nlohmann::json;

constexpr std::size_t most_refined = 3;  // the best so many get their neighbours tried

// Replays of one input with different changes, on several threads; results in the order of the changes.
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
                // min above max and the like: a candidate that cannot be
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
    std::mutex lock_;  // of what follows
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
    for (const candidate* candidate : best(most_refined)) {
        for (json& changes : neighbours(dimensions_, candidate->changes)) near.push_back(std::move(changes));
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

std::vector<candidate*> search::best(std::size_t most) {
    std::vector<candidate*> out;
    for (candidate& candidate : candidates_) {
        if (candidate.train.broken_limit.empty()) out.push_back(&candidate);
    }
    std::stable_sort(out.begin(), out.end(), [](const candidate* a, const candidate* b) { return is_better(*a, *b); });
    if (out.size() > most) out.resize(most);
    return out;
}

const candidate* search::nearest() const {
    const candidate* out = nullptr;
    for (const candidate& one : candidates_) {
        if (std::isfinite(one.excess()) && (out == nullptr || one.excess() < out->excess())) out = &one;
    }
    return out;
}

}  // namespace gputided
