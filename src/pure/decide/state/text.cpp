// Saves and loads a state; visit.hpp names its members, text.hpp describes the format.
#include "decide/state/text.hpp"

#include "base/format_text.hpp"
#include "decide/decide.hpp"
#include "decide/state/state.hpp"
#include "decide/state/visit.hpp"
#include "forecast/forecast.hpp"

#include <algorithm>
#include <utility>

namespace gputide::decide {

namespace {

constexpr text_format format{"gputide_state", "state", 5, limits::state_bytes};

std::string as_json(std::string_view text) {
    json_writer out;
    out.string(text);
    return out.take();
}

error refused(const policy& policy, const std::string& why) {
    return fail(status::state,
                "saved state of {}/{}: {}; start with a new state, or give the state saved for this object",
                policy.scaling.name_space, policy.scaling.name, why);
}

error has_other_metrics(const policy& policy, std::size_t saved) {
    return fail(status::state,
                "the saved state of {}/{} has {} metrics, the policy has {}; start with a new state, "
                "or give the state saved with this policy",
                policy.scaling.name_space, policy.scaling.name, saved, policy.metrics.size())
        .at(named("metrics"));
}

class state_output : public text_output {
  public:
    explicit state_output(const policy& policy) : text_output(format), policy_(policy) {}

    void metrics(member_name name, const std::vector<metric_health>& health) {
        record(name, [&] {
            for (std::size_t i = 0; i < health.size() && i < policy_.metrics.size(); ++i) {
                record(unnamed, [&] {
                    string("name", policy_.metrics[i].name);
                    visit(*this, health[i]);
                });
            }
        });
    }
    void conditions(member_name name, const condition_list& conditions) { list(name, conditions); }
    void forecast(member_name name, const std::vector<load_forecast>& forecast) {
        optional(name, policy_.forecast && !forecast.empty(),
                 [&] { object(unnamed, [&] { visit(*this, forecast.front()); }); });
    }

  private:
    const policy& policy_;
};

class state_input : public text_input {
  public:
    state_input(const policy& policy, const text_input& text) : text_input(text), policy_(policy) {}

    std::size_t saved_metrics() const { return saved_metrics_; }
    bool has_same_metrics() const { return same_metrics_ == saved_metrics_ && same_metrics_ == policy_.metrics.size(); }

    // Matches metrics by name: a new metric starts empty, a removed one is dropped.
    void metrics(member_name name, std::vector<metric_health>& health) {
        std::vector<std::string> names;
        for (const metric_policy& metric : policy_.metrics) names.push_back(as_json(metric.name));
        items_of(name, limits::triggers, [&] {
            record(unnamed, [&] {
                const std::string_view saved_name = json_string("name");
                metric_health saved;
                visit(*this, saved);
                if (saved_metrics_ < names.size() && names[saved_metrics_] == saved_name) ++same_metrics_;
                ++saved_metrics_;
                for (std::size_t i = 0; i < names.size(); ++i) {
                    if (names[i] == saved_name) health[i] = saved;
                }
            });
        });
    }
    void conditions(member_name name, condition_list& conditions) {
        record(name, [&] {
            for (condition& saved : conditions) record(unnamed, [&] { visit(*this, saved); });
        });
    }
    // Keeps a forecast of the same metric, query and slot length. If the lead time differs, change() decides what is kept.
    void forecast(member_name name, std::vector<load_forecast>& forecast) {
        load_forecast saved;
        if (policy_.forecast) saved.settings = policy_.forecast->settings;
        bool present = false;
        optional(name, present, [&] { object(unnamed, [&] { visit(*this, saved); }); });
        if (!ok() || !present || !policy_.forecast || policy_.forecast->subject != saved.subject) return;
        const forecast::settings saved_settings = std::exchange(saved.settings, policy_.forecast->settings);
        forecast::change(saved.memory, saved_settings, saved.settings);
        forecast.front() = std::move(saved);
    }

  private:
    const policy& policy_;
    std::size_t saved_metrics_ = 0;
    std::size_t same_metrics_ = 0;  // number of metrics with the policy's name at the same position
};

result<void> check_owner(text_input& in, const policy& policy) {
    const std::string_view kind = in.json_string("kind");
    const std::string_view name_space = in.json_string("namespace");
    const std::string_view name = in.json_string("name");
    if (!in.ok()) return refused(policy, "the text is damaged");
    if (kind == as_json(kind_name(policy)) && name_space == as_json(policy.scaling.name_space) &&
        name == as_json(policy.scaling.name)) {
        return {};
    }
    return refused(policy,
                   format_text("it was saved for {} {}/{}, this is a {}", kind, name_space, name, kind_name(policy)));
}

// Drops the parts of a state or of its shadow that a changed policy does not use.
void fit(state& state, const policy& policy) {
    if (!policy.scaling.behavior) {
        state.ups.clear();
        state.downs.clear();
    }
    const auto max = static_cast<std::size_t>(std::max(0, policy.scaling.extra.confirm_n));
    std::vector<std::int32_t>& directions = state.confirmations;
    if (directions.size() > max)
        directions.erase(directions.begin(), directions.end() - static_cast<std::ptrdiff_t>(max));
}

}  // namespace

std::string save_state(const policy& policy, const state& state) {
    state_output out(policy);
    out.string("kind", kind_name(policy));
    out.string("namespace", policy.scaling.name_space);
    out.string("name", policy.scaling.name);
    visit(out, state);
    return std::move(out).seal();
}

result<state> load_state(const policy& policy, std::string_view text, other_metrics others) {
    const result<text_input> opened = text_input::open(text, format);
    if (!opened) return refused(policy, opened.failure().message);
    state_input in(policy, *opened);
    if (const result<void> done = check_owner(in, policy); !done) return done.failure();
    state out = make_state(policy);
    visit(in, out);
    if (!in.at_end()) return refused(policy, "the text is damaged");
    if (others == other_metrics::refused && in.saved_metrics() != policy.metrics.size()) {
        return has_other_metrics(policy, in.saved_metrics());
    }
    const auto metrics = static_cast<std::int32_t>(policy.metrics.size());
    const verdict& last = out.last_verdict;
    if (!in.has_same_metrics() || last.winner >= metrics || last.failed_metric >= metrics) out.last_verdict = {};
    fit(out, policy);
    for (load_forecast& forecast : out.forecast) fit(forecast.shadow, policy);
    out.newest_ms = newest_time_of(out);
    return out;
}

}  // namespace gputide::decide
