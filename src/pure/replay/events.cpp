// The reasons of size changes.
#include "base/text.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "replay/run.hpp"

#include <utility>

namespace gputide::replay {

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
