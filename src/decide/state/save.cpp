// Writing a state; text.hpp has the form.
#include "base/json_writer.hpp"
#include "decide/state/checksum.hpp"
#include "decide/state/text.hpp"
#include "decide/state/words.hpp"

#include <charconv>

namespace gputide::decide {

namespace {

void write_time(json_writer& out, std::string_view name, std::int64_t time_ms) {
    out.key(name);
    if (time_ms == absent) {
        out.null();
    } else {
        out.integer(time_ms);
    }
}

void write_metric(json_writer& out, const metric_policy& metric, const metric_health& of) {
    out.begin_array().string(metric.name).integer(of.failures).boolean(of.failing);
    out.integer(state_words::saved_number(of.last.state)).integer(static_cast<std::int32_t>(of.last.status));
    out.number(of.last.value).integer(of.last.time_ms).boolean(of.last.null_as_zero).end_array();
}

void write_metrics(json_writer& out, const policy& by, const state& from) {
    out.key("metrics").begin_array();
    for (std::size_t i = 0; i < from.health.size() && i < by.metrics.size(); ++i) {
        write_metric(out, by.metrics[i], from.health[i]);
    }
    out.end_array();
}

void write_recommendations(json_writer& out, const std::vector<recommendation>& list) {
    out.key("recommendations").begin_array();
    for (const recommendation& one : list) out.begin_array().integer(one.replicas).integer(one.time_ms).end_array();
    out.end_array();
}

void write_events(json_writer& out, std::string_view name, const std::vector<scale_event>& list) {
    out.key(name).begin_array();
    for (const scale_event& one : list) {
        out.begin_array().integer(one.change).boolean(one.outdated).integer(one.time_ms).end_array();
    }
    out.end_array();
}

void write_conditions(json_writer& out, const state& from) {
    out.key("conditions").begin_array();
    for (const condition& one : from.conditions) {
        out.begin_array().integer(static_cast<std::int32_t>(one.truth));
        out.integer(static_cast<std::int32_t>(one.reason)).integer(one.since_ms).end_array();
    }
    out.end_array().key("confirmations").begin_array();
    for (const std::int32_t one : from.confirmations) out.integer(one);
    out.end_array();
}

}  // namespace

std::string save_state(const policy& by, const state& from) {
    json_writer out;
    out.begin_object().member("gputide_state", state_words::version);
    out.member("kind", state_words::kind(by))
        .member("namespace", by.scaling.name_space)
        .member("name", by.scaling.name);
    write_time(out, "created", from.created_ms);
    write_time(out, "last_active", from.last_active_ms);
    write_time(out, "last_executor", from.last_executor_ms);
    write_time(out, "last_hpa", from.last_hpa_ms);
    out.member("seen", from.seen).member("fallback", from.fallback_active);
    out.member("scaled_to_zero", from.scaled_to_zero);
    write_metrics(out, by, from);
    write_recommendations(out, from.recommendations);
    write_events(out, "ups", from.ups);
    write_events(out, "downs", from.downs);
    write_conditions(out, from);
    out.key("decisions").begin_array().integer(from.decisions).integer(from.recorded).end_array();
    std::string text = out.take();
    const std::uint32_t sum = crc32c(text);
    return text.append(state_words::checksum_key).append(state_words::checksum_text(sum)).append("\"}");
}

}  // namespace gputide::decide
