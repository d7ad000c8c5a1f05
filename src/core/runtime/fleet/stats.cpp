#include "runtime/fleet/stats.hpp"

#include "base/json_writer.hpp"
#include "http/failed_allocations.hpp"

namespace gputide::runtime {

void write_histogram(json_writer& json, std::string_view name, const histogram& values) {
    json.key(name).begin_object().member("count", values.count()).member("sum", values.sum_ms());
    json.member("p50", values.quantile_ms(0.5)).member("p95", values.quantile_ms(0.95));
    json.member("p99", values.quantile_ms(0.99)).member("max", values.max_ms()).end_object();
}

namespace {

void write_requests(json_writer& json, const fleet_stats& stats) {
    const auto asked = static_cast<double>(stats.traffic.sent + stats.traffic.held + stats.sharing.shared);
    json.key("requests").begin_object().member("sent", stats.traffic.sent).member("in_flight", stats.traffic.in_flight);
    json.member("waiting", stats.traffic.waiting).member("held", stats.traffic.held);
    json.member("shared", stats.sharing.shared).member("queries", stats.queries);
    json.member("shared_ratio", asked > 0 ? static_cast<double>(stats.sharing.shared) / asked : 0.0);
    json.member("kept_answer_bytes", stats.sharing.kept_bytes).end_object();
}

void write_endpoints(json_writer& json, const http::traffic_stats& stats) {
    json.member("endpoint_count", stats.endpoint_count).key("endpoints").begin_array();
    for (const http::endpoint_stats& endpoint : stats.endpoints) {
        json.begin_object()
            .member("endpoint", endpoint.name)
            .member("breaker", std::string_view(http::circuit_name(endpoint.state)));
        json.member("open_for_ms", endpoint.open_for_ms)
            .member("failing_senders", endpoint.failing_senders)
            .member("openings", endpoint.openings)
            .member("in_flight", endpoint.in_flight);
        json.member("waiting", endpoint.waiting).member("sent", endpoint.sent).member("failed", endpoint.failed);
        json.member("held", endpoint.held);
        if (!endpoint.proxy.empty()) json.member("proxy", endpoint.proxy);
        json.end_object();
    }
    json.end_array();
}

}  // namespace

std::string stats_json(const fleet_stats& stats) {
    json_writer json;
    json.begin_object().member("scalers", stats.scalers).member("unobserved", stats.unobserved);
    json.member("scheduled", stats.scheduled)
        .member("polls", stats.polls)
        .member("polls_in_flight", stats.polls_in_flight);
    json.member("polls_lost", stats.polls_lost).member("decisions", stats.decisions);
    write_histogram(json, "poll_lag_ms", stats.lag);
    write_histogram(json, "poll_latency_ms", stats.latency);
    json.key("lateness");
    stats.lateness.write(json);
    json.key("errors").begin_object();
    for (const auto& [reason, count] : stats.errors) json.member(reason, count);
    json.end_object();
    write_requests(json, stats);
    write_endpoints(json, stats.traffic);
    json.key("streams").begin_object().member("held", stats.streams).member("words", stats.stream_words);
    json.member("polls", stats.stream_polls).end_object();
    json.key("events").begin_object().member("made", stats.events).member("taken", stats.events_taken);
    json.member("replaced", stats.events_replaced).member("dropped", stats.events_dropped);
    json.member("waiting", stats.events_waiting).end_object();
    json.member("failed_allocations", http::failed_allocations());
    json.key("clock").begin_object().member("stalls", stats.stalls).member("stalled_ms", stats.stalled_ms);
    json.member("steps_back", stats.clock_steps_back).end_object();
    return json.end_object().take();
}

}  // namespace gputide::runtime
