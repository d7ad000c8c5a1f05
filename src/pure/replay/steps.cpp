// The sums of each step, whether its size was sufficient for the load, and the reasons of size changes.
#include "base/text.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "replay/run.hpp"

#include <algorithm>
#include <utility>

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
    const bool has_formula = policy_.formula != nullptr;
    step.recorded = recorded_replicas_;
    step.is[with_data] = true;
    step.is[above] = has_formula && decision.proposed_replicas > ready;
    for (followed& metric : metrics_) {
        const metric_path& path = metric.path;
        const bool has_data = path.fresh(now_ms) && path.recorded.state == sample_state::ok;
        step.is[with_data] &= has_data;
        step.is[recorded_above] |= has_data && metric.each(path.recorded.value, recorded_replicas_) > metric.level;
        if (settings_.model == model::closed) metric.truth = current(path, now_ms);  // for the size after the decision
        const measured& now = metric.truth;
        const bool unserved = ready == 0 && now.load > 0;
        if (settings_.model == model::closed && path.signal == signal::utilization && now.load >= 0) {
            step.is[saturated] |= unserved || (ready > 0 && now.load >= settings_.saturation * ready * nearly_full);
            step.is[low_confidence] |= path.recorded.value >= settings_.saturation * nearly_full;
        }
        if (has_formula) continue;
        step.is[above] |= unserved || (now.state == sample_state::ok && metric.each(now.value, ready) > metric.level);
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
        if (metrics_[i].each(samples_[i].value, ready) > (ready > 0 ? metrics_[i].level : 0.0)) return true;
    }
    return false;
}

// A load that was recorded after the last decision counts as above the target from that time on.
void replayer::note_load(const step& step, const decide::decision& decision, bool seen_above, std::int64_t before_ms) {
    decide::load_look look;
    look.time_ms = look.since_ms = step.time_ms;
    for (const followed& metric : metrics_)
        if (metric.path.recorded.time_ms > before_ms)
            look.since_ms = std::min(look.since_ms, metric.path.recorded.time_ms);
    look.has_load = step.is[with_data];
    look.is_above = step.is[above];
    look.seen_above = seen_above;
    look.proposed = decision.proposed_replicas;
    look.desired = decision.desired_replicas;
    look.replicas = step.replicas;
    look.ready = step.ready;
    look.waits_for_node = step.time_ms < raised_ms_ + settings_.node_ms;
    look.limited_by = decision.limited_by;
    if (const auto ended = late_.add(look)) rises_.add(*ended);
}

namespace {

// Tells whether a trace step explains an event: the values, and the limits that applied.
bool explains_event(const decide::step_text& text, const decide::decision& decision) {
    const auto is = [&](std::string_view name) { return text.step == name; };
    if (is("metric") || is("formula")) return true;
    if (decision.origin == decide::origin::executor) return is("executor");
    switch (decision.limited_by) {
        case decide::limit::stabilized:
            return is("stabilise") || is("confirm");
        case decide::limit::scale_up_limit:
        case decide::limit::scale_down_limit:
            return is("rate");
        case decide::limit::min:
        case decide::limit::max:
        case decide::limit::budget:
        case decide::limit::no_capacity:
            return is("bounds") || is("hpa");
        case decide::limit::forecast:
            return is("forecast");
        default:
            return false;
    }
}

}  // namespace

// Repeats the decision from the previous state, with a trace.
void replayer::keep_event(const decide::decision& decision, const decide::observation& seen) {
    decide::trace why;
    const decide::decision again = decide::decide(policy_, before_, seen, &why);
    event event{seen.now_ms,
                decision.current_replicas,
                decision.desired_replicas,
                decision.proposed_replicas,
                decision.limited_by,
                decision.origin,
                -1,
                0.0,
                {},
                {}};
    if (decision.winner == decide::composite_metric && formula_value_) {
        event.metric = decision.winner;
        event.value = *formula_value_;
    }
    if (decision.winner >= 0 && samples_[static_cast<std::size_t>(decision.winner)].state == sample_state::ok) {
        event.metric = decision.winner;
        event.value = samples_[static_cast<std::size_t>(decision.winner)].value;
    }
    const bool named = decision.event != decide::event::none;
    event.reason = named ? decide::event_name(decision.event) : decide::rescale_reason(policy_, decision);
    std::vector<decide::step_text> steps;
    decide::step_sink sink{.texts = &steps};
    decide::write_steps(sink, policy_, again, why);
    for (const decide::step_text& part : steps)
        if (explains_event(part, again)) append_item(event.text, part.text, "; ");
    events_.push_back(std::move(event));
}

}  // namespace gputide::replay
