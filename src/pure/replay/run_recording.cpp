// Passes a whole recording to a replayer: merges the tracks in order of time.
#include "base/format_text.hpp"
#include "base/time.hpp"
#include "replay/run.hpp"

#include <algorithm>
#include <utility>

namespace gputide::replay {

namespace {

// The tracks and sizes as a single stream in order of time.
class moments {
  public:
    moments(std::vector<const metric_track*> tracks, const recording& recording, const settings& settings)
        : tracks_(std::move(tracks)),
          sizes_(recording.sizes),
          at_(tracks_.size(), 0),
          values_(tracks_.size()),
          to_ms_(settings.to_ms > 0 ? settings.to_ms : latest_ms) {
        const auto early = [&](const auto& entry) { return entry.time_ms < settings.from_ms; };
        for (std::size_t i = 0; i < tracks_.size(); ++i) {
            const std::vector<point>& points = tracks_[i]->points;
            at_[i] =
                static_cast<std::size_t>(std::partition_point(points.begin(), points.end(), early) - points.begin());
        }
        const auto first = std::partition_point(sizes_.begin(), sizes_.end(), early);
        at_size_ = static_cast<std::size_t>(first - sizes_.begin());
        if (at_size_ > 0) replicas_ = sizes_[at_size_ - 1].replicas;  // the last earlier size is still valid
    }

    // Returns false at the end.
    bool next() {
        time_ms_ = latest_ms + 1;
        for (std::size_t i = 0; i < tracks_.size(); ++i)
            if (at_[i] < tracks_[i]->points.size()) time_ms_ = std::min(time_ms_, tracks_[i]->points[at_[i]].time_ms);
        if (time_ms_ > to_ms_) return false;
        // A size without a value does not create a step: the size at the time of the next value is used.
        for (; at_size_ < sizes_.size() && sizes_[at_size_].time_ms <= time_ms_; ++at_size_)
            replicas_ = sizes_[at_size_].replicas;
        for (std::size_t i = 0; i < tracks_.size(); ++i) {
            values_[i].state = sample_state::not_given;
            if (at_[i] >= tracks_[i]->points.size() || tracks_[i]->points[at_[i]].time_ms != time_ms_) continue;
            const point& point = tracks_[i]->points[at_[i]++];
            values_[i].state = point.state;
            values_[i].value = point.value;
            values_[i].time_ms = point.time_ms;
        }
        return true;
    }

    std::int64_t time_ms() const { return time_ms_; }
    std::int32_t replicas() const { return replicas_; }
    std::span<const sample> values() const { return values_; }

  private:
    std::vector<const metric_track*> tracks_;
    std::span<const size_point> sizes_;
    std::vector<std::size_t> at_;
    std::size_t at_size_ = 0;
    std::vector<sample> values_;
    std::int64_t to_ms_;
    std::int64_t time_ms_ = 0;
    std::int32_t replicas_ = -1;
};

result<void> check_length(const recording& recording, const settings& settings) {
    const std::int64_t first_ms = std::max(recording.notes.first_ms, settings.from_ms);
    const std::int64_t last_ms =
        settings.to_ms > 0 ? std::min(recording.notes.last_ms, settings.to_ms) : recording.notes.last_ms;
    if (last_ms > first_ms) return {};
    if (last_ms == first_ms && settings.from_ms == 0 && settings.to_ms == 0)
        return fail(status::no_data, "series: all points have the same time ({}); a replay needs at least two times",
                    format_rfc3339_ms(first_ms));
    return fail(status::no_data, "series: it has fewer than two points in the requested time; it is from {} to {}",
                format_rfc3339_ms(recording.notes.first_ms), format_rfc3339_ms(recording.notes.last_ms));
}

// A closed loop can compute the load only if the number of replicas that shared it is known.
result<void> check_sizes(const recording& recording, const settings& settings) {
    if (settings.model == model::open || !recording.sizes.empty() || settings.recorded_replicas >= 0) return {};
    const bool all_total = !settings.signals.empty() &&
                           std::ranges::all_of(settings.signals, [](signal entry) { return entry == signal::total; });
    if (all_total) return {};
    return fail(status::invalid,
                "closed loop: the number of replicas during the recording is unknown; give a column "
                "`replicas`, a run log, or their number (recorded_replicas)");
}

}  // namespace

result<std::vector<const metric_track*>> tracks_of(const decide::policy& policy, const recording& recording) {
    std::vector<const metric_track*> out;
    for (const decide::metric_policy& metric : policy.metrics) {
        const auto found = std::ranges::find_if(recording.metrics, [&](const auto& track) {
            const bool is_taken = std::ranges::find(out, &track) != out.end();  // two metrics may have one name
            return !is_taken && (track.name == metric.name || track.name == metric.label());
        });
        if (found != recording.metrics.end()) out.push_back(&*found);
    }
    if (out.size() == policy.metrics.size()) return out;
    if (recording.metrics.size() != policy.metrics.size())
        return fail(status::invalid,
                    "series: it has {} metrics, the manifest has {}; give one column for each, in manifest order",
                    recording.metrics.size(), policy.metrics.size());
    out.clear();
    for (const metric_track& track : recording.metrics) out.push_back(&track);
    return out;
}

result<void> run(replayer& replayer, const recording& over, bool (*keep_going)(void*), void* asked) {
    if (!over.tidied) return fail(status::bug, "replay: the recording is not tidy");
    if (result<void> ok = replayer.check_open(); !ok) return ok;
    replayer.notes = over.notes;
    if (replayer.how().verify) {
        if (result<void> ok = run_log_again(replayer, over); !ok) return ok;
        replayer.finish();
        return {};
    }
    if (result<void> ok = check_length(over, replayer.how()); !ok) return ok;
    if (result<void> ok = check_sizes(over, replayer.how()); !ok) return ok;
    result<std::vector<const metric_track*>> tracks = tracks_of(replayer.policy(), over);
    if (!tracks) return tracks.take_failure();
    replayer.expect_step(over.notes.step_ms);
    replayer.teach_past(*tracks, std::max(over.notes.first_ms, replayer.how().from_ms));
    moments all(*std::move(tracks), over, replayer.how());
    for (std::int64_t count = 1; all.next(); ++count) {
        if (result<void> ok = replayer.record(all.time_ms(), all.values(), all.replicas()); !ok) return ok;
        if (count % 4096 == 0 && keep_going != nullptr && !keep_going(asked))
            return fail(status::cancelled, "replay: canceled");
    }
    replayer.finish();
    return {};
}

// Repeats the decisions of a run log with the same times and sizes and the recorded values.  After a change of a rule, a
// manifest or the library it shows the first different decision.

namespace {

// Returns the newest point that is not later than now_ms.  Prometheus is queried at whole seconds, so a tick at 10:00:05.900
// saw the value of 10:00:05.
const point* point_at(const metric_track& track, std::int64_t now_ms) {
    const auto after = std::partition_point(track.points.begin(), track.points.end(),
                                            [&](const point& point) { return point.time_ms <= now_ms; });
    return after == track.points.begin() ? nullptr : &*(after - 1);
}

std::string shown(std::int32_t current, std::int32_t desired, std::int32_t proposed, const std::string& limit,
                  const std::string& source) {
    return format_text("{} -> {} (proposed {}, limited by {}, {})", current, desired, proposed, limit, source);
}

bool is_same(const logged_decision& logged, const decide::decision& decision) {
    return logged.desired == decision.desired_replicas && logged.proposed == decision.proposed_replicas &&
           logged.limited_by == decide::limit_name(decision.limited_by) &&
           logged.source == decide::origin_name(decision.origin);
}

std::string difference(const logged_decision& logged, const decide::decision& decision) {
    return format_text("{}: logged {}, now {}", format_rfc3339_ms(logged.time_ms),
                       shown(logged.current, logged.desired, logged.proposed, logged.limited_by, logged.source),
                       shown(decision.current_replicas, decision.desired_replicas, decision.proposed_replicas,
                             decide::limit_name(decision.limited_by), decide::origin_name(decision.origin)));
}

}  // namespace

result<void> run_log_again(replayer& replayer, const recording& over) {
    if (over.decisions.empty())
        return fail(status::invalid, "verify: the series has no decisions; give the log of gputided run");
    if (over.is_part_of_log)
        return fail(status::invalid,
                    "verify: this log has only changes, or no reasons; use a log of gputided run --log all");
    result<std::vector<const metric_track*>> tracks = tracks_of(replayer.policy(), over);
    if (!tracks) return tracks.take_failure();
    const decide::policy& policy = replayer.policy();
    decide::state state = decide::make_state(policy, policy.scaling.created_ms.value_or(decide::absent));
    std::vector<sample> samples(policy.metrics.size());
    verification out;
    for (std::size_t at = 0; at < over.decisions.size(); ++at) {
        const logged_decision& logged = over.decisions[at];
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const point* read = point_at(*(*tracks)[i], logged.time_ms);
            samples[i] = read == nullptr ? sample{} : replayer.seen_as(i, *read);
        }
        decide::observation seen;
        seen.now_ms = logged.time_ms;
        seen.spec_replicas = logged.current;
        seen.status_replicas = logged.status;
        seen.ready_replicas = logged.ready >= 0 ? logged.ready : logged.status;
        seen.samples = samples;
        decide::decision decision = decide::decide(policy, state, seen);
        ++out.decisions;
        if (is_same(logged, decision)) {
            ++out.same;
        } else if (out.first_difference.empty()) {
            out.first_difference = difference(logged, decision);
        }
        // The log has the time of the write; otherwise the next line shows whether the size was written.  For the last line
        // it does not matter.
        const bool shows = at + 1 < over.decisions.size() && over.decisions[at + 1].current == logged.desired;
        const std::int64_t written_ms = logged.written_ms > 0 ? logged.written_ms : logged.time_ms;
        if (shows || logged.written_ms > 0) decide::record_applied(policy, state, decision, written_ms);
    }
    replayer.compared = out;
    return {};
}

}  // namespace gputide::replay
