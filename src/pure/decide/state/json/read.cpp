// A state from words; json.hpp has the form.
#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "decide/decide.hpp"
#include "decide/hpa/events.hpp"
#include "decide/state/clock.hpp"
#include "decide/state/json/json.hpp"
#include "decide/state/json/member_reader.hpp"
#include "decide/state/words.hpp"

#include <algorithm>
#include <limits>

namespace gputide::decide {

namespace {

void read_owner(member_reader& reader, const config::node& root) {
    const config::scaling& scaling = reader.owner().scaling;
    const auto same = [&](std::string_view name, std::string_view wanted) {
        const config::node* found = reader.member(root, name);
        if (found != nullptr && found->text != wanted) reader.refuse(std::string(name), in_quotes(wanted));
    };
    same("kind", state_words::kind(reader.owner()));
    same("namespace", scaling.name_space);
    same("name", scaling.name);
}

sample read_last(member_reader& reader, const config::node& last, const std::string& path) {
    reader.known(last, path, {"state", "status", "value", "null_as_zero", "time_ms"});
    sample out;
    out.state = reader.word(last, path, "state", sample_state::ok, sample_state_name);
    const auto known_status = [](status code) {
        return code <= status::not_found ? std::string_view(status_name(code)) : std::string_view();
    };
    out.status = reader.word(last, path, "status", status::ok, known_status);
    out.value = reader.number(last, path, "value");
    out.time_ms = reader.time(last, path, "time_ms", 0);
    out.null_as_zero = reader.flag(last, path, "null_as_zero", false);
    return out;
}

hpa_read read_hpa_read(member_reader& reader, const config::node& read, const std::string& path) {
    reader.known(read, path, {"time_ms", "value_milli", "active", "error", "fallback"});
    hpa_read out;
    out.time_ms = reader.time(read, path, "time_ms", 0);
    out.value_milli = reader.whole(read, path, "value_milli", std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max(), 0);
    out.active = reader.flag(read, path, "active", false);
    out.error = reader.flag(read, path, "error", false);
    out.fallback = reader.flag(read, path, "fallback", false);
    return out;
}

void read_one_health(member_reader& reader, const config::node& one, const std::string& path, metric_health& out) {
    reader.known(one, path, {"failures", "status", "last", "hpa_read"});
    out.failures = reader.count(one, path, "failures", 0);
    const auto status_word = [](bool failing) { return failing ? "Failing" : "Happy"; };
    out.failing = reader.word(one, path, "status", false, status_word);
    if (const config::node* last = reader.member(one, "last")) out.last = read_last(reader, *last, path + ".last");
    if (const config::node* read = reader.member(one, "hpa_read"))
        out.read = read_hpa_read(reader, *read, path + ".hpa_read");
}

std::int32_t metric_named(const policy& policy, std::string_view name) noexcept {
    if (name == state_words::composite && policy.formula != nullptr) return composite_metric;
    for (std::size_t i = 0; i < policy.metrics.size(); ++i) {
        if (policy.metrics[i].label() == name) return static_cast<std::int32_t>(i);
    }
    return -1;
}

void read_health(member_reader& reader, const config::node& root, state& out) {
    const config::node* health = reader.member(root, "health");
    if (health == nullptr) return;
    if (health->kind != config::node_kind::mapping) return reader.refuse("health", "an object");
    for (const config::node& one : health->children) {
        const std::int32_t metric = metric_named(reader.owner(), one.key);
        if (metric < 0) {
            reader.refuse("health." + one.key, "a metric of the policy");
            continue;
        }
        read_one_health(reader, one, "health." + one.key, out.health[static_cast<std::size_t>(metric)]);
    }
}

void read_history(member_reader& reader, const config::node& root, state& out) {
    reader.list(root, "history", max_recommendations, [&](const config::node& one, const std::string& path) {
        reader.known(one, path, {"replicas", "time_ms"});
        const auto replicas =
            reader.whole(one, path, "replicas", std::numeric_limits<std::int32_t>::min(), int32_most, 0);
        out.recommendations.append({static_cast<std::int32_t>(replicas), reader.time(one, path, "time_ms", 0)});
    });
    const bool given = reader.member(root, "history") != nullptr;
    out.seen = reader.flag(root, "", "seen", given);
}

void read_scale_events(member_reader& reader, const config::node& root, std::string_view name,
                       std::vector<scale_event>& out) {
    reader.list(root, name, max_scale_events, [&](const config::node& one, const std::string& path) {
        reader.known(one, path, {"change", "time_ms", "outdated"});
        out.push_back({reader.count(one, path, "change", 1), reader.flag(one, path, "outdated", false),
                       reader.time(one, path, "time_ms", 0)});
    });
}

void read_described_conditions(member_reader& reader, const config::node& root, state& out) {
    reader.list(root, "conditions", condition_count, [&](const config::node& one, const std::string& path) {
        reader.known(one, path, {"type", "status", "reason", "since_ms"});
        const auto type = reader.word(one, path, "type", condition_type::able_to_scale, condition_name);
        condition& condition = out.conditions[static_cast<std::size_t>(type)];
        condition.truth = reader.word(one, path, "status", truth::absent, truth_name);
        condition.reason = reader.word(one, path, "reason", reason::none, reason_name);
        condition.since_ms = reader.time(one, path, "since_ms", 0);
    });
}

void read_directions(member_reader& reader, const config::node& root, state& out) {
    const auto most = static_cast<std::size_t>(std::max(0, reader.owner().scaling.extra.confirm_n));
    reader.list(root, "confirmations", most, [&](const config::node& one, const std::string& path) {
        const std::optional<std::int64_t> value = parse_int64(one.text);
        if (!value || *value < -1 || *value > 1) return reader.refuse(path, "-1, 0 or 1");
        out.confirmations.push_back(static_cast<std::int32_t>(*value));
    });
}

std::int32_t read_metric_name(member_reader& reader, const config::node& verdict, std::string_view name) {
    const config::node* found = reader.member(verdict, name);
    if (found == nullptr) return -1;
    const std::int32_t metric = metric_named(reader.owner(), found->text);
    if (metric == -1) reader.refuse("verdict." + std::string(name), "a metric of the policy");
    return metric;
}

void read_last_verdict(member_reader& reader, const config::node& root, state& out) {
    const config::node* found = reader.member(root, "verdict");
    if (found == nullptr) return;
    const std::string path = "verdict";
    reader.known(*found, path,
                 {"time_ms", "proposed_replicas", "limited_by", "metrics", "winner", "failed", "failed_metric",
                  "failure", "failed_state"});
    verdict& last = out.last_verdict;
    last.time_ms = reader.time(*found, path, "time_ms", 0);
    last.proposed_replicas = reader.count(*found, path, "proposed_replicas", 0);
    last.limited_by = reader.word(*found, path, "limited_by", limit::none, limit_name);
    last.metric_count = reader.count(*found, path, "metrics", 0);
    last.winner = read_metric_name(reader, *found, "winner");
    last.failed_count = reader.count(*found, path, "failed", 0);
    last.failed_metric = read_metric_name(reader, *found, "failed_metric");
    last.failure = reader.word(*found, path, "failure", metric_failure::none, metric_failure_name);
    last.failed_state = reader.word(*found, path, "failed_state", sample_state::ok, sample_state_name);
}

state read_root(member_reader& reader, const config::node& root) {
    reader.known(root, "", {"kind",           "namespace",      "name",
                            "created_ms",     "last_active_ms", "last_executor_ms",
                            "last_hpa_ms",    "seen",           "fallback_active",
                            "scaled_to_zero", "health",         "history",
                            "up_events",      "down_events",    "conditions",
                            "confirmations",  "decisions",      "recorded",
                            "verdict",        "forecast"});
    state out = make_state(reader.owner());
    read_owner(reader, root);
    out.created_ms = reader.time(root, "", "created_ms", out.created_ms);
    out.last_active_ms = reader.time(root, "", "last_active_ms", absent);
    out.last_executor_ms = reader.time(root, "", "last_executor_ms", absent);
    out.last_hpa_ms = reader.time(root, "", "last_hpa_ms", absent);
    out.fallback_active = reader.flag(root, "", "fallback_active", false);
    out.scaled_to_zero = reader.flag(root, "", "scaled_to_zero", false);
    read_health(reader, root, out);
    read_history(reader, root, out);
    read_scale_events(reader, root, "up_events", out.ups);
    read_scale_events(reader, root, "down_events", out.downs);
    read_described_conditions(reader, root, out);
    read_directions(reader, root, out);
    read_last_verdict(reader, root, out);
    out.decisions = reader.number_of(root, "decisions", std::numeric_limits<std::uint32_t>::max());
    out.recorded = reader.number_of(root, "recorded", out.decisions);
    out.newest_ms = newest_time_of(out);
    return out;
}

}  // namespace

result<state> read_state(const policy& policy, std::string_view json) {
    if (json.size() > limits::state_bytes) {
        return fail(status::state,
                    format_text("a state of {} bytes; at most {} are read", json.size(), limits::state_bytes));
    }
    const config::read_text text = config::read_json(json);
    if (text.failure) {
        return fail_at(status::state, format_text("line {}", text.failure->line), "no JSON: " + text.failure->message);
    }
    if (text.roots.size() != 1) return fail(status::state, "expected one JSON object");
    member_reader reader(policy);
    state out = read_root(reader, text.roots.front());
    if (std::optional<error> failure = std::move(reader).failure()) return std::move(*failure);
    return out;
}

}  // namespace gputide::decide
