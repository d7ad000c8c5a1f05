#include "runtime/fleet/stats.hpp"

#include "base/json_writer.hpp"
#include "http/loop.hpp"

#include <algorithm>
#include <new>
#include <string_view>

namespace gputide::runtime {

namespace {

struct stage {
    std::string_view name;
    std::int64_t decide::rise::*time_ms;
};
constexpr std::array<stage, 4> stages{
    stage{"decision_ms", &decide::rise::decided_ms}, stage{"write_ms", &decide::rise::written_ms},
    stage{"ready_ms", &decide::rise::ready_ms}, stage{"below_ms", &decide::rise::end_ms}};

// Returns the time from the begin of a rise to a stage; nothing if the stage was not reached.
std::optional<std::int64_t> took_ms(const decide::rise& rise, const stage& of) {
    const bool is_reached = of.time_ms == &decide::rise::end_ms ? rise.is_below : rise.*of.time_ms != 0;
    if (!is_reached) return std::nullopt;
    return rise.*of.time_ms - rise.start_ms;
}

// Tells whether a pass knows the load; otherwise it neither begins nor ends a rise.
bool tells_load(const decide::decision& decision) {
    return decision.limited_by != decide::limit::not_due && decision.limited_by != decide::limit::no_data &&
           decision.limited_by != decide::limit::paused;
}

// Compares the load with the ready replicas.  At 0 replicas no metric proposes a size: the decision counts.
bool is_above(const decide::load_look& look) {
    const std::int32_t serving = look.ready >= 0 ? std::min(look.ready, look.replicas) : look.replicas;
    return look.proposed > serving || (look.replicas == 0 && look.desired > 0);
}

}  // namespace

void lateness::decided(scaler_lateness& of, const decide::decision& decision, std::int64_t read_ms,
                       std::int64_t now_ms) {
    if (decision.limited_by == decide::limit::paused) of.finder = {};  // the time of a pause is not lateness
    if (!tells_load(decision)) return;
    decide::load_look look;
    look.time_ms = now_ms;
    look.since_ms = read_ms > 0 ? read_ms : now_ms;
    look.proposed = decision.proposed_replicas;
    look.desired = decision.desired_replicas;
    look.replicas = decision.current_replicas;
    look.ready = of.look.ready;
    look.limited_by = decision.limited_by;
    add(of, look);
}

void lateness::written(scaler_lateness& of, std::int64_t now_ms) {
    if (!of.finder.is_open()) return;
    decide::load_look look = of.look;
    look.time_ms = now_ms;
    look.replicas = look.desired;
    add(of, look);
}

void lateness::observed(scaler_lateness& of, std::int32_t ready, std::int64_t now_ms) {
    of.look.ready = ready;
    if (!of.finder.is_open()) return;
    decide::load_look look = of.look;
    look.time_ms = now_ms;
    add(of, look);
}

void lateness::add(scaler_lateness& of, const decide::load_look& look) {
    const bool was_open = of.finder.is_open();
    const std::int64_t last_ms = of.look.time_ms;
    of.look = look;
    of.look.time_ms = std::max(look.time_ms, last_ms);  // the clock may be set back
    of.look.has_load = true;
    of.look.is_above = of.look.seen_above = is_above(of.look);
    if (const std::optional<decide::rise> ended = of.finder.add(of.look)) {
        of.last.reset(new (std::nothrow) decide::rise(*ended));  // without memory it is counted, but not shown
        for (std::size_t i = 0; i < stages.size(); ++i) {
            if (const auto took = took_ms(*ended, stages[i])) took_[i].add(*took);
        }
        for (std::size_t i = 0; i < cause_ms_.size(); ++i) cause_ms_[i] += ended->cause_ms[i];
    } else if (!was_open && of.finder.is_open()) {
        ++rises_;
    }
}

void lateness::write(json_writer& json) const {
    json.begin_object().member("rises", rises_);
    for (std::size_t i = 0; i < stages.size(); ++i) write_histogram(json, stages[i].name, took_[i]);
    json.key("cause_ms").begin_object();
    for (std::size_t i = 0; i < cause_ms_.size(); ++i) {
        if (cause_ms_[i] > 0) json.member(decide::late_cause_name(static_cast<decide::late_cause>(i)), cause_ms_[i]);
    }
    json.end_object().end_object();
}

void write_rise(json_writer& json, const scaler_lateness& of) {
    const std::optional<decide::rise> current = of.finder.current();
    const decide::rise* shown = current ? &*current : of.last.get();
    if (shown == nullptr) return;
    json.key("rise").begin_object().member("began_ms", shown->start_ms);
    json.member("open", current.has_value() && !current->is_below);
    for (const stage& stage : stages) {
        if (const auto took = took_ms(*shown, stage)) json.member(stage.name, *took);
    }
    json.member("cause", decide::late_cause_name(shown->main_cause())).end_object();
}

void write_histogram(json_writer& json, std::string_view name, const histogram& values) {
    json.key(name).begin_object().member("count", values.count()).member("sum", values.sum_ms());
    json.member("p50", values.quantile_ms(0.5)).member("p95", values.quantile_ms(0.95));
    json.member("p99", values.quantile_ms(0.99)).member("max", values.max_ms()).end_object();
}

namespace {

void write_requests(json_writer& json, const fleet_stats& stats) {
    const auto asked = static_cast<double>(stats.traffic.sent + stats.traffic.held + stats.traffic.shared);
    json.key("requests").begin_object().member("sent", stats.traffic.sent).member("in_flight", stats.traffic.in_flight);
    json.member("waiting", stats.traffic.waiting).member("held", stats.traffic.held);
    json.member("shared", stats.traffic.shared).member("queries", stats.queries);
    json.member("shared_ratio", asked > 0 ? static_cast<double>(stats.traffic.shared) / asked : 0.0);
    json.member("kept_answer_bytes", stats.traffic.kept_bytes).end_object();
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
