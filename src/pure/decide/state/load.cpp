// Reading a saved state; text.hpp has the form.  Any byte out of place ends the reading: the text is either exactly what
// save_state() writes, or refused.
#include "base/checksum.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/limits.hpp"
#include "base/text_cursor.hpp"
#include "decide/decide.hpp"
#include "decide/hpa/events.hpp"
#include "decide/saturate.hpp"
#include "decide/state/clock.hpp"
#include "decide/state/text.hpp"
#include "decide/state/words.hpp"
#include "forecast/text.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::decide {

namespace {

static_assert(farthest_time_ms == latest_ms);

std::string as_json(std::string_view text) {
    json_writer out;
    out.string(text);
    return out.take();
}

error refused(const policy& policy, const std::string& why) {
    return fail(status::state,
                format_text("saved state of {}/{}: {}; start with a fresh state, or give the one saved for this object",
                            policy.scaling.name_space, policy.scaling.name, why));
}

error has_other_metrics(const policy& policy, std::size_t saved) {
    return fail_at(status::state, named("metrics"),
                   format_text("the saved state of {}/{} has {} metrics, the policy has {}; start with a fresh state, "
                               "or give the one saved under this policy",
                               policy.scaling.name_space, policy.scaling.name, saved, policy.metrics.size()));
}

sample_state read_sample_state(text_cursor& cursor) {
    const auto number = cursor.number<std::int32_t>();
    if (number < 0 || number > state_words::last_saved_sample_state) {
        cursor.refuse();
        return sample_state::not_given;
    }
    return state_words::sample_state_of(number);
}

hpa_read read_hpa_read(text_cursor& cursor) {
    hpa_read out;
    out.time_ms = cursor.time();
    out.value_milli = cursor.expect(",").number<std::int64_t>();
    out.active = cursor.expect(",").boolean();
    out.error = cursor.expect(",").boolean();
    out.fallback = cursor.expect(",").boolean();
    cursor.expect("]");
    return out;
}

metric_health read_health(text_cursor& cursor) {
    metric_health out;
    out.failures = cursor.expect(",").number<std::int32_t>();
    out.failing = cursor.expect(",").boolean();
    out.last.state = read_sample_state(cursor.expect(","));
    out.last.status = cursor.expect(",").code(status::bug);
    out.last.value = cursor.expect(",").number<double>();
    out.last.time_ms = cursor.expect(",").time();
    out.last.null_as_zero = cursor.expect(",").boolean();
    bool has_read = cursor.take(",[");
    if (!has_read && cursor.take(",")) {
        out.last.activity = cursor.code(activity_word::active);
        out.last.target_milli = cursor.expect(",").number<std::int64_t>();
        if (!out.last.has_words()) cursor.refuse();
        has_read = cursor.take(",[");
    }
    if (has_read) out.read = read_hpa_read(cursor);
    if (out.failures < 0 || out.last.target_milli < 0 || !std::isfinite(out.last.value)) cursor.refuse();
    return out;
}

struct saved_metrics {
    std::size_t count = 0;
    bool are_same = false;  // as the policy's, in its order
};
saved_metrics read_metrics(text_cursor& cursor, const policy& policy, state& out) {
    std::vector<std::string> names;
    for (const metric_policy& one : policy.metrics) names.push_back(as_json(one.name));
    std::size_t same = 0;
    std::size_t count = 0;
    cursor.expect(",\"metrics\":").list(limits::triggers, [&] {
        const std::string_view name = cursor.expect("[").raw_string();
        const metric_health health = read_health(cursor);
        cursor.expect("]");
        if (count < names.size() && names[count] == name) ++same;
        ++count;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == name) out.health[i] = health;
        }
    });
    return {count, same == count && same == names.size()};
}

verdict read_verdict(text_cursor& cursor, std::size_t metrics) {
    verdict out;
    if (cursor.expect(",\"verdict\":").take("null")) return out;
    const auto index = [&] {
        const auto metric = cursor.expect(",").number<std::int32_t>();
        if (metric < composite_metric || metric >= static_cast<std::int32_t>(metrics)) cursor.refuse();
        return metric;
    };
    out.time_ms = cursor.expect("[").time();
    out.proposed_replicas = cursor.expect(",").number<std::int32_t>();
    out.limited_by = cursor.expect(",").code(limit::forecast);
    out.winner = index();
    out.failed_metric = index();
    out.failed_count = cursor.expect(",").number<std::int32_t>();
    out.metric_count = cursor.expect(",").number<std::int32_t>();
    out.failure = cursor.expect(",").code(metric_failure::no_data_rule);
    out.failed_state = read_sample_state(cursor.expect(","));
    cursor.expect("]");
    return out;
}

void read_recommendations(text_cursor& cursor, state& out) {
    cursor.expect(",\"recommendations\":").list(max_recommendations, [&] {
        recommendation one;
        one.replicas = cursor.expect("[").number<std::int32_t>();
        one.time_ms = cursor.expect(",").time();
        cursor.expect("]");
        out.recommendations.append(one);
    });
}

void read_events(text_cursor& cursor, std::string_view key, std::vector<scale_event>& out, bool keep) {
    cursor.expect(key).list(max_scale_events, [&] {
        scale_event one;
        one.change = cursor.expect("[").number<std::int32_t>();
        one.outdated = cursor.expect(",").boolean();
        one.time_ms = cursor.expect(",").time();
        cursor.expect("]");
        if (one.change <= 0) cursor.refuse();
        if (keep) out.push_back(one);
    });
}

void read_conditions(text_cursor& cursor, state& out) {
    std::size_t at = 0;
    cursor.expect(",\"conditions\":").list(condition_count, [&] {
        condition& one = out.conditions[at++];
        one.truth = cursor.expect("[").code(truth::unknown);
        one.reason = cursor.expect(",").code(reason::error_scaling_target);
        one.since_ms = cursor.expect(",").time();
        cursor.expect("]");
    });
}

// The last n of them; none where the rule is off.
void read_confirmations(text_cursor& cursor, const policy& policy, state& out) {
    const auto most = static_cast<std::size_t>(std::max(0, policy.scaling.extra.confirm_n));
    cursor.expect(",\"confirmations\":").list(limits::state_bytes, [&] {
        const auto one = cursor.number<std::int32_t>();
        if (one < -1 || one > 1) cursor.refuse();
        if (most == 0) return;
        if (out.confirmations.size() == most) out.confirmations.erase(out.confirmations.begin());
        out.confirmations.push_back(one);
    });
}

// The shadow's lists are read as the real ones are, into the shadow's own state.
void read_forecast(text_cursor& cursor, const policy& policy, state& out) {
    if (!cursor.take(",\"forecast\":{\"subject\":")) return;
    load_forecast read;
    read.subject = cursor.number<std::uint32_t>();
    read.need = cursor.expect(",\"need\":").number<std::int32_t>();
    read.settings = policy.forecast ? policy.forecast->settings : forecast::settings{};
    read.memory = forecast::read_text(cursor.expect(","), read.settings);
    read.shadow_replicas = cursor.expect(",\"shadow\":[").number<std::int32_t>();
    read.shadow.seen = cursor.expect(",").boolean();
    read_recommendations(cursor.expect("]"), read.shadow);
    read_events(cursor, ",\"ups\":", read.shadow.ups, policy.scaling.behavior.has_value());
    read_events(cursor, ",\"downs\":", read.shadow.downs, policy.scaling.behavior.has_value());
    read_confirmations(cursor, policy, read.shadow);
    cursor.expect("}");
    if (read.shadow_replicas < -1 || read.need < -1) cursor.refuse();
    if (policy.forecast && policy.forecast->subject == read.subject) out.forecast.front() = std::move(read);
}

// How many were decided, which one was recorded last, and what their ids are mixed with.
void read_decisions(text_cursor& cursor, state& out) {
    out.decisions = cursor.expect(",\"decisions\":[").number<std::uint32_t>();
    out.recorded = cursor.expect(",").number<std::uint32_t>();
    out.salt = cursor.expect(",").number<std::uint32_t>();
    out.former_salt = cursor.expect(",").number<std::uint32_t>();
    out.former_decisions = cursor.expect(",").number<std::uint32_t>();
    cursor.expect("]");
    if (out.recorded > out.decisions || out.former_decisions > out.decisions) cursor.refuse();
}

// The version comes before everything else, so that a newer form may differ in all that follows.
result<std::int32_t> check_version(text_cursor& cursor, const policy& policy) {
    const auto version = cursor.expect("{\"gputide_state\":").number<std::int32_t>();
    if (!cursor.ok() || version < 1) return refused(policy, "not a saved state");
    if (version <= state_words::version) return version;
    return refused(policy, format_text("version {} is newer than {}, the newest this library reads", version,
                                       state_words::version));
}

result<void> check_owner(text_cursor& cursor, const policy& policy) {
    const std::string_view kind = cursor.expect(",\"kind\":").raw_string();
    const std::string_view name_space = cursor.expect(",\"namespace\":").raw_string();
    const std::string_view name = cursor.expect(",\"name\":").raw_string();
    if (!cursor.ok()) return refused(policy, "the text is damaged");
    if (kind == as_json(state_words::kind(policy)) && name_space == as_json(policy.scaling.name_space) &&
        name == as_json(policy.scaling.name)) {
        return {};
    }
    return refused(policy, format_text("it was saved for {} {}/{}, this is a {}", kind, name_space, name,
                                       state_words::kind(policy)));
}

result<state> read_body(text_cursor& cursor, const policy& policy, std::int32_t version, other_metrics others) {
    state out = make_state(policy);
    out.created_ms = cursor.expect(",\"created\":").time_or_null(absent);
    out.last_active_ms = cursor.expect(",\"last_active\":").time_or_null(absent);
    out.last_executor_ms = cursor.expect(",\"last_executor\":").time_or_null(absent);
    out.last_hpa_ms = cursor.expect(",\"last_hpa\":").time_or_null(absent);
    out.seen = cursor.expect(",\"seen\":").boolean();
    out.fallback_active = cursor.expect(",\"fallback\":").boolean();
    out.scaled_to_zero = cursor.expect(",\"scaled_to_zero\":").boolean();
    const saved_metrics metrics = read_metrics(cursor, policy, out);
    read_recommendations(cursor, out);
    read_events(cursor, ",\"ups\":", out.ups, policy.scaling.behavior.has_value());
    read_events(cursor, ",\"downs\":", out.downs, policy.scaling.behavior.has_value());
    read_conditions(cursor, out);
    read_confirmations(cursor, policy, out);
    if (version > 1) {
        const verdict last = read_verdict(cursor, limits::triggers);
        if (metrics.are_same) out.last_verdict = last;
        read_decisions(cursor, out);
    }
    if (version > 3) {
        out.spec.hpa = cursor.expect(",\"spec\":[").number<std::uint32_t>();
        out.spec.whole = cursor.expect(",").number<std::uint32_t>();
        cursor.expect("]");
    }
    if (version > 2) read_forecast(cursor, policy, out);
    if (!cursor.at_end()) return refused(policy, "the text is damaged");
    if (others == other_metrics::refused && metrics.count != policy.metrics.size()) {
        return has_other_metrics(policy, metrics.count);
    }
    out.newest_ms = newest_time_of(out);
    return out;
}

}  // namespace

result<state> load_state(const policy& policy, std::string_view text, other_metrics others) {
    if (text.size() > limits::state_bytes) {
        return refused(
            policy, format_text("{} bytes, more than the {} that a state may have", text.size(), limits::state_bytes));
    }
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    text_cursor cursor(text);
    const result<std::int32_t> version = check_version(cursor, policy);
    if (!version) return version.failure();
    const std::optional<std::string_view> body = unsealed(text);
    if (!body) return refused(policy, "the checksum does not match, the text is damaged");
    cursor.end_before(text.size() - body->size());
    if (const result<void> done = check_owner(cursor, policy); !done) return done.failure();
    return read_body(cursor, policy, *version, others);
}

}  // namespace gputide::decide
