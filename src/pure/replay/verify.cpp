// Repeats the decisions of a run log: same times, same sizes, the recording's values.  After a change of a rule, a
// manifest or the library it shows the first decision that differs.
#include "base/format_text.hpp"
#include "base/time.hpp"
#include "replay/run.hpp"

#include <algorithm>

namespace gputide::replay {
namespace {

// Returns the newest point that is not after now_ms.  Prometheus is queried at whole seconds, so a value of 10:00:05 is
// what a tick at 10:00:05.900 saw.
const point* point_at(const metric_track& track, std::int64_t now_ms) {
    const auto after = std::partition_point(track.points.begin(), track.points.end(),
                                            [&](const point& point) { return point.time_ms <= now_ms; });
    return after == track.points.begin() ? nullptr : &*(after - 1);
}

std::string shown(std::int32_t current, std::int32_t desired, std::int32_t proposed, const std::string& limit,
                  const std::string& source) {
    return format_text("{} -> {} (the metrics ask for {}, limited by {}, {})", current, desired, proposed, limit,
                       source);
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
        return fail(status::invalid, "verify: the series holds no decisions; give the log of gputided run");
    if (over.is_part_of_log)
        return fail(status::invalid,
                    "verify: this log holds changes alone, or no reasons; it takes one of gputided run --log all");
    result<std::vector<const metric_track*>> tracks = tracks_of(replayer.policy(), over);
    if (!tracks) return std::move(tracks).failure();
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
        // The log says when the live host had written it; otherwise the next line shows whether it did.  For the last
        // line it does not matter.
        const bool shows = at + 1 < over.decisions.size() && over.decisions[at + 1].current == logged.desired;
        const std::int64_t written_ms = logged.written_ms > 0 ? logged.written_ms : logged.time_ms;
        if (shows || logged.written_ms > 0) decide::record_applied(policy, state, decision, written_ms);
    }
    replayer.compared = out;
    return {};
}

}  // namespace gputide::replay
