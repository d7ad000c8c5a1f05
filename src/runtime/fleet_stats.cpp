#include "runtime/fleet_stats.hpp"

#include "base/json_writer.hpp"

namespace gputide::runtime {
namespace {

void write_histogram(json_writer& json, std::string_view name, const histogram& from) {
    json.key(name).begin_object().member("count", from.count()).member("sum", from.sum_ms());
    json.member("p50", from.quantile_ms(0.5)).member("p99", from.quantile_ms(0.99)).member("max", from.most_ms());
    json.end_object();
}

void write_requests(json_writer& json, const fleet_stats& from) {
    const auto asked = static_cast<double>(from.traffic.sent + from.traffic.held + from.sharing.shared);
    json.key("requests").begin_object().member("sent", from.traffic.sent).member("in_flight", from.traffic.in_flight);
    json.member("waiting", from.traffic.waiting).member("held", from.traffic.held);
    json.member("shared", from.sharing.shared).member("questions", from.questions);
    json.member("shared_ratio", asked > 0 ? static_cast<double>(from.sharing.shared) / asked : 0.0);
    json.member("kept_answer_bytes", from.sharing.kept_bytes).end_object();
}

void write_endpoints(json_writer& json, const http::traffic_stats& from) {
    json.member("endpoint_count", from.endpoint_count).key("endpoints").begin_array();
    for (const http::endpoint_stats& one : from.endpoints) {
        json.begin_object()
            .member("endpoint", one.name)
            .member("breaker", std::string_view(http::circuit_name(one.state)));
        json.member("open_for_ms", one.open_for_ms).member("openings", one.openings).member("in_flight", one.in_flight);
        json.member("waiting", one.waiting).member("sent", one.sent).member("failed", one.failed);
        json.member("held", one.held).end_object();
    }
    json.end_array();
}

}  // namespace

std::string stats_json(const fleet_stats& from) {
    json_writer json;
    json.begin_object().member("scalers", from.scalers).member("unobserved", from.unobserved);
    json.member("scheduled", from.scheduled)
        .member("polls", from.polls)
        .member("polls_in_flight", from.polls_in_flight);
    json.member("polls_lost", from.polls_lost).member("decisions", from.decisions);
    write_histogram(json, "poll_lag_ms", from.lag);
    write_histogram(json, "poll_latency_ms", from.latency);
    json.key("errors").begin_object();
    for (const auto& [reason, count] : from.errors) json.member(reason, count);
    json.end_object();
    write_requests(json, from);
    write_endpoints(json, from.traffic);
    json.key("events").begin_object().member("made", from.events).member("taken", from.events_taken);
    json.member("replaced", from.events_replaced).member("dropped", from.events_dropped);
    json.member("waiting", from.events_waiting).end_object();
    json.key("clock").begin_object().member("stalls", from.stalls).member("stalled_ms", from.stalled_ms);
    json.member("steps_back", from.clock_steps_back).end_object();
    return json.end_object().take();
}

}  // namespace gputide::runtime
