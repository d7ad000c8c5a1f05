// The sums of each step, and whether its size was sufficient for the load.
#include "replay/run.hpp"

#include <algorithm>

namespace gputide::replay {

namespace {

constexpr double nearly_full = 0.99;  // of the saturation: a mean over GPUs rarely reaches the last percent

}  // namespace

void replayer::settle(std::int64_t now_ms) {
    pending_.lasts_ms = now_ms - pending_.time_ms;
    add(sums_, pending_, within_, settings_.flap_window_ms);
    if (recorded_replicas_ >= 0)
        sums_.recorded_ms += static_cast<double>(recorded_replicas_) * static_cast<double>(pending_.lasts_ms);
    curves_.add(pending_);
    has_pending_ = false;
}

// Compares with the actual value at this time, not with the delayed one.
void replayer::judge(step& step, const decide::decision& decision, std::int64_t now_ms) {
    const std::int32_t ready = step.ready;
    step.recorded = recorded_replicas_;
    step.has_data = std::ranges::all_of(
        paths_, [&](const metric_path& path) { return path.fresh(now_ms) && path.recorded.state == sample_state::ok; });
    if (policy_.formula != nullptr) step.above = decision.proposed_replicas > ready;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
        const metric_path& path = paths_[i];
        const std::int32_t sharing = is_shared_by_replicas(policy_.metrics[i]) ? std::max(recorded_replicas_, 1) : 1;
        step.recorded_above |=
            path.fresh(now_ms) && path.recorded.state == sample_state::ok && path.recorded.value / sharing > levels_[i];
        if (settings_.model == model::closed) truth_[i] = current(i, now_ms);  // for the size after the decision
        const measured& now = truth_[i];
        const bool unserved = ready == 0 && now.load > 0;
        if (settings_.model == model::closed && paths_[i].signal == signal::utilization && now.load >= 0) {
            step.saturated |= unserved || (ready > 0 && now.load >= settings_.saturation * ready * nearly_full);
            step.low_confidence |= paths_[i].recorded.value >= settings_.saturation * nearly_full;
        }
        if (policy_.formula != nullptr) continue;
        const double each = is_shared_by_replicas(policy_.metrics[i]) ? now.value / std::max(ready, 1) : now.value;
        step.above |= unserved || (now.state == sample_state::ok && each > levels_[i]);
    }
}

// Returns the result of scalingModifiers.
std::optional<double> replayer::formula_value(const decide::observation& seen) {
    passed_.clear();
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        const decide::metric_read read = decide::read_of(policy_.metrics[i], samples_[i]);
        passed_.push_back(decide::pass_metric(policy_, i, read, {}, seen, decide::counting::off));
    }
    const decide::composite result = decide::combine(policy_, passed_);
    if (!result.has_value) return std::nullopt;
    return static_cast<double>(result.value_milli) / 1000.0;
}

// Tells whether the values used for the decision are above target.
bool replayer::sees_above(const decide::decision& decision, std::int32_t ready) const {
    if (policy_.formula != nullptr) return decision.proposed_replicas > decision.current_replicas;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        if (samples_[i].state != sample_state::ok) continue;
        const double level = ready > 0 ? levels_[i] : 0.0;
        const double each =
            is_shared_by_replicas(policy_.metrics[i]) ? samples_[i].value / std::max(ready, 1) : samples_[i].value;
        if (each > level) return true;
    }
    return false;
}

// A load that was recorded after the last decision counts as above the target from that time on.
void replayer::note_load(const step& step, const decide::decision& decision, bool seen_above, std::int64_t before_ms) {
    decide::load_look look;
    look.time_ms = look.since_ms = step.time_ms;
    for (const metric_path& path : paths_)
        if (path.recorded.time_ms > before_ms) look.since_ms = std::min(look.since_ms, path.recorded.time_ms);
    look.has_load = step.has_data;
    look.is_above = step.above;
    look.seen_above = seen_above;
    look.proposed = decision.proposed_replicas;
    look.desired = decision.desired_replicas;
    look.replicas = step.replicas;
    look.ready = step.ready;
    look.waits_for_node = step.time_ms < raised_ms_ + settings_.node_ms;
    look.limited_by = decision.limited_by;
    if (const auto ended = late_.add(look)) rises_.add(*ended);
}

}  // namespace gputide::replay
