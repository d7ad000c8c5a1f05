#include "runtime/fleet_stats.hpp"

#include "base/json_writer.hpp"

namespace gputide::runtime {
namespace {

void write_histogram(json_writer& json, std::string_view name, const histogram& from) {
    json.key(name).begin_object().member("count", from.count());
    json.member("p50", from.quantile_ms(0.5)).member("p99", from.quantile_ms(0.99)).member("max", from.most_ms());
    json.end_object();
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
    json.key("events").begin_object().member("made", from.events).member("taken", from.events_taken);
    json.member("replaced", from.events_replaced).member("dropped", from.events_dropped);
    json.member("waiting", from.events_waiting).end_object();
    json.key("clock").begin_object().member("stalls", from.stalls).member("stalled_ms", from.stalled_ms);
    json.member("steps_back", from.clock_steps_back).end_object();
    return json.end_object().take();
}

}  // namespace gputide::runtime
