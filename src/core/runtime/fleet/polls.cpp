// Runs the polls of a scaler: queries its sources, decides, plans the next time.  No poll is lost: a schedule entry becomes a
// watched poll, and a watched poll becomes an entry again, even if something fails in between.
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "runtime/fleet/fleet.hpp"
#include "runtime/scaler.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::size_t batch = 64;           // polls begun before the lock is released for other threads
constexpr std::int64_t grace_ms = 2'000;    // after a poll's deadline, then it counts as lost
constexpr std::int64_t min_delay_ms = 100;  // between two polls of a scaler with period 0

// Returns the host's pushed samples as reads that took no time.
all_reads pushed_reads(std::span<const sample> pushed, std::int64_t now_ms) {
    all_reads out;
    out.metrics.resize(pushed.size());
    for (std::size_t metric = 0; metric < pushed.size(); ++metric) {
        out.metrics[metric].value = pushed[metric];
        out.metrics[metric].read_ms = now_ms;
    }
    return out;
}

}  // namespace

// Returns the current time.  Callbacks run between two steps; the loop's steady clock tells the time since the last step.
fleet::poll_time fleet::now() const {
    const std::int64_t since_ms = std::max<std::int64_t>(0, loop_->steady_ms() - step_steady_ms_);
    return {step_wall_ms_ + since_ms, clock_.now_ms() + since_ms, clock_.elapsed_ms() + since_ms};
}

void fleet::plan(std::uint32_t index, std::int64_t delay_ms) { plan_from(now(), index, delay_ms); }

void fleet::plan_from(const poll_time& start, std::uint32_t index, std::int64_t delay_ms) {
    slot& here = slots_[index];
    const schedule::item next{start.clock_ms + delay_ms, index, here.stamp + 1};
    delay_ms > 0 ? schedule_.add(next) : due_.push_back(next);
    ++here.stamp;
    here.hosted->planned_ms = start.elapsed_ms + delay_ms;
}

void fleet::plan_first(std::uint32_t index) {
    hosted_scaler& hosted = *slots_[index].hosted;
    const std::int64_t period_ms = hosted.period_ms();
    std::int64_t width_ms = options_.start_spread_ms > 0 ? std::min(options_.start_spread_ms, period_ms) : period_ms;
    if (hosted.polls_soon || hosted.answers_stream) width_ms = 0;
    const std::int64_t wanted_in_ms = std::max<std::int64_t>(0, hosted.wanted_ms - loop_->steady_ms());
    // From the step's own time, independent of its duration so far.
    plan_from({step_wall_ms_, clock_.now_ms(), clock_.elapsed_ms()}, index,
              std::min(start_offset_ms(hosted.name(), options_.seed, width_ms), wanted_in_ms));
}

void fleet::place_newcomers() {
    while (!newcomers_.empty()) {
        const slot_use next = newcomers_.back();
        if (const hosted_scaler* hosted = at(next); hosted != nullptr && !hosted->polling) plan_first(next.index);
        newcomers_.pop_back();
    }
}

void fleet::forget_ended() {
    const auto ended = [this](const running_poll& poll) {
        return !slots_[poll.index].hosted || slots_[poll.index].stamp != poll.stamp;
    };
    while (!running_.empty() && ended(running_.front())) running_.pop_front();
}

// Repeats polls without a result, because memory was lacking for a callback.
void fleet::recover_lost() {
    for (forget_ended(); !running_.empty(); forget_ended()) {
        const running_poll& first = running_.front();
        if (loop_->steady_ms() < first.until_ms) return;
        hosted_scaler& hosted = *slots_[first.index].hosted;
        if (hosted.poll) hosted.poll->cancel();
        plan(first.index, min_delay_ms);
        hosted.polling = false;
        hosted.poll.reset();
        --stats_.polls_in_flight;
        ++stats_.polls_lost;
    }
}

std::int64_t fleet::step(std::int64_t wall_ms, std::int64_t clock_ms) {
    std::unique_lock hold(lock_);
    clock_.advance(clock_ms, schedule_.next_ms());
    step_wall_ms_ = wall_ms;
    step_steady_ms_ = loop_->steady_ms();
    place_newcomers();
    recover_lost();
    const std::int64_t reach = reach_ms();
    for (;;) {
        if (next_ == due_.size()) {
            due_.clear();
            next_ = 0;
            schedule_.take(reach, batch, due_);
            if (due_.empty()) return delay_to_next();
        }
        for (std::size_t begun = 0; begun < batch && next_ < due_.size(); ++begun) {
            begin(due_[next_]);
            ++next_;
        }
        hold.unlock();  // other threads may be waiting
        hold.lock();
    }
}

// Returns the time up to which polls begin now: polls due at about the same time send their requests and parse their responses
// together, with warm caches.  No poll begins earlier than what still counts as on time.
std::int64_t fleet::reach_ms() const {
    const std::int64_t now_ms = clock_.now_ms();
    return schedule_.next_ms() <= now_ms ? now_ms + std::min(options_.gather_ms, on_time_ms) : now_ms;
}

std::int64_t fleet::next_delay_ms() const {
    const std::lock_guard hold(lock_);
    if (!newcomers_.empty() || next_ < due_.size()) return 0;
    return delay_to_next();
}

std::int64_t fleet::delay_to_next() const {
    std::int64_t out = -1;
    if (const std::int64_t next_ms = schedule_.next_ms(); next_ms != schedule::never) {
        out = std::max<std::int64_t>(0, next_ms - now().clock_ms);
    }
    if (running_.empty()) return out;
    const std::int64_t to_deadline_ms = std::max<std::int64_t>(0, running_.front().until_ms - loop_->steady_ms());
    return out < 0 ? to_deadline_ms : std::min(out, to_deadline_ms);
}

void fleet::begin(const schedule::item& due) {
    if (!counts(due)) return;
    slot& here = slots_[due.key];
    hosted_scaler& hosted = *here.hosted;
    hosted.polls_soon = false;
    const std::int64_t planned_ms = hosted.scaler.next_due_ms();
    // The planned start by the host's clock: later than now if the poll was gathered early.
    const std::int64_t due_ms = step_wall_ms_ + std::max<std::int64_t>(0, due.due_ms - clock_.now_ms());
    // Decides for the planned time, so that both halves stay due together and one read serves both.
    const std::int64_t off_ms = step_wall_ms_ - planned_ms;
    const std::int64_t at_ms = planned_ms != 0 && std::abs(off_ms) <= on_time_ms ? planned_ms : due_ms;
    // A loaded state may be due later.  After the clock was set back, decide() makes both halves due.
    const std::int64_t early_ms = planned_ms - at_ms;
    if (std::exchange(hosted.wanted_ms, hosted_scaler::not_requested) != hosted_scaler::not_requested)
        hosted.answers_stream = true;
    const bool is_early = early_ms > 0 && early_ms <= hosted.longest_period_ms();
    if (is_early && !hosted.answers_stream) return plan(due.key, early_ms);

    if (!hosted.observation_came) stats_.lag.add(clock_.elapsed_ms() - hosted.planned_ms);
    if (options_.observe_first && !hosted.observation_came) return await_host(due.key, hosted);

    const std::int64_t until_ms = loop_->steady_ms() + options_.poll_timeout_ms + grace_ms;
    running_.push_back({due.key, here.stamp + 1, until_ms});
    ++here.stamp;
    hosted.polling = true;
    hosted.polled_ms = at_ms;
    hosted.began_ms = loop_->steady_ms();
    ++hosted.polls;
    ++stats_.polls;
    if (is_early) ++stats_.stream_polls;
    ++stats_.polls_in_flight;
    hosted.observation_came = false;
    poll_sources(due.key, hosted, at_ms);
    hold_streams({due.key, here.generation}, hosted);
}

void fleet::poll_sources(std::uint32_t index, hosted_scaler& hosted, std::int64_t at_ms) {
    const std::span<const sample> pushed = hosted.observation.pushed();
    const std::optional<decide::history_span> past = hosted.scaler.due_history(at_ms);
    if (!hosted.has_source()) return decide(index, hosted, hosted.scaler.keep(pushed_reads(pushed, at_ms)));
    // Equal queries use the same time, so that they share one response.
    const std::int64_t asked_ms = hosted.route->has_company() ? at_ms - at_ms % options_.share_window_ms : at_ms;
    const std::int64_t deadline_ms = loop_->steady_ms() + options_.poll_timeout_ms;
    hosted.poll = http::post<all_reads>(
        *loop_,
        [loop = loop_.get(), sources = hosted.scaler.sources(),
         given = std::vector<sample>(pushed.begin(), pushed.end()), asked_ms, deadline_ms,
         past](callback<void(all_reads)> done) {
            return read_metrics(*loop, sources, {asked_ms, deadline_ms, given, past}, std::move(done));
        },
        [this, index, stamp = slots_[index].stamp](all_reads&& reads) { finish(index, stamp, std::move(reads)); });
}

void fleet::finish(std::uint32_t index, std::uint32_t stamp, all_reads&& reads) {
    std::shared_ptr<http::posted> over;  // destroyed after the lock is released
    const std::lock_guard hold(lock_);
    slot& here = slots_[index];
    if (!here.hosted || here.stamp != stamp) return;  // removed, replaced or given up meanwhile
    std::int64_t took_ms = 0;
    for (const last_read& read : reads.metrics) {
        took_ms = std::max(took_ms, read.took_ms);
        if (read.why != nullptr) ++stats_.errors[status_name(read.why->status)];
    }
    stats_.latency.add(took_ms);
    over = std::move(here.hosted->poll);
    note_activity(*here.hosted, reads);
    decide(index, *here.hosted, here.hosted->scaler.keep(std::move(reads)));
}

// Records a rise, from the time of the winning metric's sample.
void fleet::note_decision(hosted_scaler& hosted) {
    const decide::decision& made = hosted.scaler.last_decision();
    const auto winner = static_cast<std::size_t>(made.winner);  // -1 becomes a large number
    const std::vector<last_read>& reads = hosted.scaler.reads();
    const std::int64_t read_ms = winner < reads.size() ? reads[winner].value.time_ms : made.now_ms;
    stats_.lateness.decided(hosted.lateness, made, read_ms, now().wall_ms);
}

void fleet::decide(std::uint32_t index, hosted_scaler& hosted, const std::vector<sample>& samples) {
    scaler& scaler = hosted.scaler;
    for (std::size_t metric = 0; metric < hosted.observation.pushed().size(); ++metric) {
        scaler.explain(metric, hosted.observation.pushed_message(metric));
    }
    const decide::decision before = scaler.last_decision();
    decide::observation observation = hosted.observation.at(hosted.polled_ms, samples);
    observation.executor_is_called = std::exchange(hosted.answers_stream, false);
    if (options_.reports) {
        decide::trace trace;
        const decide::decision decision = scaler.decide(observation, &trace);
        hosted.report = std::make_unique<std::string>(
            decide::decision_json(scaler.policy(), decision, &trace, details_of(scaler, decision)));
    } else {
        scaler.decide(observation, nullptr);
    }
    ++stats_.decisions;
    note_decision(hosted);
    announce(index, hosted, before);
    if (hosted.acts) hand_over(index, hosted);
    const std::int64_t wait_ms = std::min(scaler.next_due_ms() - now().wall_ms, hosted.wanted_ms - loop_->steady_ms());
    // After the gathering window of this step, which would otherwise begin it again.
    const std::int64_t min_ms = std::max(min_delay_ms, options_.gather_ms + 1);
    plan(index, std::clamp(wait_ms, min_ms, std::max(min_ms, hosted.longest_period_ms())));
    hosted.polling = false;
    --stats_.polls_in_flight;
    forget_ended();
}

void fleet::interrupt() {
    std::vector<std::shared_ptr<http::posted>> stopped;
    const std::lock_guard hold(lock_);
    for (std::uint32_t index = 0; index < slots_.size(); ++index) {
        if (!slots_[index].hosted) continue;
        hosted_scaler& hosted = *slots_[index].hosted;
        drop_streams(hosted);
        if (!hosted.polling) continue;
        if (hosted.poll) {
            hosted.poll->cancel();
            stopped.push_back(std::move(hosted.poll));
        }
        plan(index, 0);
        hosted.polling = false;
        --stats_.polls_in_flight;
    }
    running_.clear();
}

}  // namespace gputide::runtime
