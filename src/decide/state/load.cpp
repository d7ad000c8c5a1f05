// Reading a saved state; text.hpp has the form.  Any byte out of place ends the reading: the text is either exactly what
// save_state() writes, or refused.
#include "base/json_writer.hpp"
#include "base/limits.hpp"
#include "decide/decide.hpp"
#include "decide/hpa/events.hpp"
#include "decide/hpa/stabilise.hpp"
#include "decide/saturate.hpp"
#include "decide/state/checksum.hpp"
#include "decide/state/text.hpp"
#include "decide/state/text_cursor.hpp"
#include "decide/state/words.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::decide {

namespace {

std::string as_json(std::string_view text) {
    json_writer out;
    out.string(text);
    return out.take();
}

error refused(const policy& by, const std::string& why) {
    return fail(status::state, "saved state of " + by.scaling.name_space + "/" + by.scaling.name + ": " + why +
                                   "; start with a fresh state, or give the one saved for this object");
}

metric_health read_health(text_cursor& from) {
    metric_health out;
    out.failures = from.expect(",").number<std::int32_t>();
    out.failing = from.expect(",").boolean();
    const auto state = from.expect(",").number<std::int32_t>();
    if (state < 0 || state > state_words::last_saved_sample_state) from.refuse();
    out.last.state = state_words::sample_state_of(state);
    out.last.status = from.expect(",").code(status::bug);
    out.last.value = from.expect(",").number<double>();
    out.last.time_ms = from.expect(",").time();
    out.last.null_as_zero = from.expect(",").boolean();
    if (out.failures < 0 || !std::isfinite(out.last.value)) from.refuse();
    return out;
}

void read_metrics(text_cursor& from, const policy& by, state& out) {
    std::vector<std::string> names;
    for (const metric_policy& one : by.metrics) names.push_back(as_json(one.name));
    from.expect(",\"metrics\":").list(limits::triggers, [&] {
        const std::string_view name = from.expect("[").raw_string();
        const metric_health health = read_health(from);
        from.expect("]");
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == name) out.health[i] = health;
        }
    });
}

void read_recommendations(text_cursor& from, state& out) {
    from.expect(",\"recommendations\":").list(max_recommendations, [&] {
        recommendation one;
        one.replicas = from.expect("[").number<std::int32_t>();
        one.time_ms = from.expect(",").time();
        from.expect("]");
        out.recommendations.push_back(one);
    });
}

void read_events(text_cursor& from, std::string_view key, std::vector<scale_event>& out, bool keep) {
    from.expect(key).list(max_scale_events, [&] {
        scale_event one;
        one.change = from.expect("[").number<std::int32_t>();
        one.outdated = from.expect(",").boolean();
        one.time_ms = from.expect(",").time();
        from.expect("]");
        if (one.change <= 0) from.refuse();
        if (keep) out.push_back(one);
    });
}

void read_conditions(text_cursor& from, state& out) {
    std::size_t at = 0;
    from.expect(",\"conditions\":").list(condition_count, [&] {
        condition& one = out.conditions[at++];
        one.truth = from.expect("[").code(truth::unknown);
        one.reason = from.expect(",").code(reason::scaled_object_paused);
        one.since_ms = from.expect(",").time();
        from.expect("]");
    });
}

// The last n of them; none where the rule is off.
void read_confirmations(text_cursor& from, const policy& by, state& out) {
    const auto most = static_cast<std::size_t>(std::max(0, by.scaling.extra.confirm_n));
    from.expect(",\"confirmations\":").list(limits::state_bytes, [&] {
        const auto one = from.number<std::int32_t>();
        if (one < -1 || one > 1) from.refuse();
        if (most == 0) return;
        if (out.confirmations.size() == most) out.confirmations.erase(out.confirmations.begin());
        out.confirmations.push_back(one);
    });
}

// Of those that were decided, which one was recorded last.
void read_decisions(text_cursor& from, state& out) {
    out.decisions = from.expect(",\"decisions\":[").number<std::uint32_t>();
    out.recorded = from.expect(",").number<std::uint32_t>();
    from.expect("]");
    if (out.recorded > out.decisions) from.refuse();
}

// The version comes before everything else, so that a newer form may differ in all that follows.
result<std::int32_t> check_version(text_cursor& from, const policy& by) {
    const auto version = from.expect("{\"gputide_state\":").number<std::int32_t>();
    if (!from.ok() || version < 1) return refused(by, "not a saved state");
    if (version <= state_words::version) return version;
    return refused(by, "version " + std::to_string(version) + " is newer than " + std::to_string(state_words::version) +
                           ", the newest this library reads");
}

result<void> check_checksum(std::string_view text, std::string_view body, const policy& by) {
    std::string ending(state_words::checksum_key);
    ending.append(state_words::checksum_text(crc32c(body))).append("\"}");
    if (text.substr(body.size()) == ending) return {};
    return refused(by, "the checksum does not match, the text is damaged");
}

result<void> check_owner(text_cursor& from, const policy& by) {
    const std::string_view kind = from.expect(",\"kind\":").raw_string();
    const std::string_view name_space = from.expect(",\"namespace\":").raw_string();
    const std::string_view name = from.expect(",\"name\":").raw_string();
    if (!from.ok()) return refused(by, "the text is damaged");
    if (kind == as_json(state_words::kind(by)) && name_space == as_json(by.scaling.name_space) &&
        name == as_json(by.scaling.name)) {
        return {};
    }
    return refused(by, "it was saved for " + std::string(kind) + " " + std::string(name_space) + "/" +
                           std::string(name) + ", this is a " + std::string(state_words::kind(by)));
}

result<state> read_body(text_cursor& from, const policy& by, std::int32_t version) {
    state out = make_state(by);
    out.created_ms = from.expect(",\"created\":").time_or_null();
    out.last_active_ms = from.expect(",\"last_active\":").time_or_null();
    out.last_executor_ms = from.expect(",\"last_executor\":").time_or_null();
    out.last_hpa_ms = from.expect(",\"last_hpa\":").time_or_null();
    out.seen = from.expect(",\"seen\":").boolean();
    out.fallback_active = from.expect(",\"fallback\":").boolean();
    out.scaled_to_zero = from.expect(",\"scaled_to_zero\":").boolean();
    read_metrics(from, by, out);
    read_recommendations(from, out);
    read_events(from, ",\"ups\":", out.ups, by.scaling.behavior.has_value());
    read_events(from, ",\"downs\":", out.downs, by.scaling.behavior.has_value());
    read_conditions(from, out);
    read_confirmations(from, by, out);
    if (version > 1) read_decisions(from, out);
    if (!from.at_end()) return refused(by, "the text is damaged");
    return out;
}

}  // namespace

result<state> load_state(const policy& by, std::string_view text) {
    if (text.size() > limits::state_bytes) {
        return refused(by, std::to_string(text.size()) + " bytes, more than the " +
                               std::to_string(limits::state_bytes) + " that a state may have");
    }
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    text_cursor from(text);
    const result<std::int32_t> version = check_version(from, by);
    if (!version) return version.failure();
    constexpr std::size_t tail = state_words::checksum_key.size() + state_words::checksum_digits + 2;
    const std::string_view body = text.substr(0, text.size() - std::min(tail, text.size()));
    if (const result<void> done = check_checksum(text, body, by); !done) return done.failure();
    from.end_before(text.size() - body.size());
    if (const result<void> done = check_owner(from, by); !done) return done.failure();
    return read_body(from, by, *version);
}

}  // namespace gputide::decide
