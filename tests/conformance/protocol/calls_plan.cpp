// Calls of plan.h.
#include "protocol/call.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace conformance {
namespace {

constexpr const gputide_cancel* no_cancel = nullptr;

// ---- recorded series and replays
std::vector<std::int64_t> integers_in(const json& list) {
    std::vector<std::int64_t> out;
    for (const json& entry : list) out.push_back(integer_in(entry));
    return out;
}

// Two lists that belong together, point by point.
std::uint64_t points(std::size_t times, std::size_t values) {
    if (times != values) throw std::invalid_argument("times_ms and what belongs to them differ in length");
    return times;
}

void new_series(call& request) { request.opens(gputide_series_free, gputide_series_new); }

void add_values(call& request) {
    const std::vector<std::int64_t> times_ms = integers_in(request.object("times_ms"));
    std::vector<double> values;
    for (const json& value : request.object("values")) values.push_back(real_in(value));
    request.works(gputide_series_add, request.handle<gputide_series>("series"), request.int32("metric"),
                  times_ms.data(), values.data(), points(times_ms.size(), values.size()));
}

void add_replicas(call& request) {
    const std::vector<std::int64_t> times_ms = integers_in(request.object("times_ms"));
    std::vector<std::int32_t> replicas;
    for (const json& count : request.object("replicas"))
        replicas.push_back(static_cast<std::int32_t>(integer_in(count)));
    request.works(gputide_series_add_replicas, request.handle<gputide_series>("series"), times_ms.data(),
                  replicas.data(), points(times_ms.size(), replicas.size()));
}

void read_series(call& request) {
    const std::string text = request.text("text");
    const std::string scaler = request.text("scaler");
    request.works(gputide_series_read, request.handle<gputide_series>("series"), request.int32("metric"), text.data(),
                  static_cast<std::int64_t>(text.size()), scaler.empty() ? nullptr : scaler.c_str());
}

#ifndef GPUTIDE_PURE_ONLY
void fetch_series(call& request) {
    request.works(gputide_series_fetch, request.handle<gputide_series>("series"),
                  request.handle<gputide_scaler>("scaler"), request.int32("metric"), request.integer("from_ms"),
                  request.integer("to_ms"), request.integer("step_ms"), request.int32("timeout_ms"), no_cancel);
}
#endif

void write_series(call& request) {
    request.gives_text("csv", gputide_series_write, request.handle<gputide_series>("series"));
}
void describe_series(call& request) {
    request.gives_text("json", gputide_series_describe, request.handle<gputide_series>("series"));
}

void open_replay(call& request) {
    const std::string manifest = request.text("manifest");
    const std::string settings = request.text("settings");
    request.opens(gputide_replay_free, gputide_replay_open, manifest.data(), static_cast<std::int64_t>(manifest.size()),
                  request.options(), settings.empty() ? nullptr : settings.data(),
                  static_cast<std::int64_t>(settings.size()));
}

void run_replay(call& request) {
    request.works(gputide_replay_run, request.handle<gputide_replay>("replay"),
                  request.handle<const gputide_series>("series"), no_cancel);
}

void record_moment(call& request) {
    const owned_samples samples(request.object("samples"));
    auto last = sized<gputide_decision>();
    if (request.works(gputide_replay_record, request.handle<gputide_replay>("replay"), request.integer("time_ms"),
                      samples.list.data(), static_cast<std::uint32_t>(sizeof(gputide_sample)),
                      static_cast<std::uint32_t>(samples.list.size()),
                      request.has("replicas") ? request.int32("replicas") : -1, &last))
        request.result["decision"] = decision_json(last);
}

void report_replay(call& request) {
    request.gives_text("json", gputide_replay_report, request.handle<gputide_replay>("replay"));
}

// ---- the forecast alone
void open_forecast(call& call) {
    const std::string settings = call.text("settings");
    call.opens(gputide_forecast_free, gputide_forecast_open, settings.empty() ? nullptr : settings.data(),
               static_cast<std::int64_t>(settings.size()));
}

void add(call& call) {
    call.works(gputide_forecast_add, call.handle<gputide_forecast>("forecast"), call.integer("now_ms"),
               real_in(call.object("load")));
}

void floor(call& call) {
    auto out = sized<gputide_floor>();
    if (!call.works(gputide_forecast_floor, call.handle<const gputide_forecast>("forecast"),
                    real_in(call.object("target")), call.int32("reactive_replicas"), call.int32("current_replicas"),
                    call.int32("max_replicas"), &out)) {
        return;
    }
    if (call.has("as")) call.opened().floors[call.name("as")] = out;
    call.result["floor"] = {{"state", out.state},
                            {"reason", out.reason},
                            {"replicas", out.replicas},
                            {"need_replicas", out.need_replicas},
                            {"floor_load", json_real(out.floor_load)}};
}

// The written size is a floor's, or given.
void charge(call& call) {
    const std::int32_t written =
        call.has("floor") ? call.opened().floors.at(call.name("floor")).replicas : call.int32("written_replicas");
    call.works(gputide_forecast_charge, call.handle<gputide_forecast>("forecast"), written,
               call.int32("shadow_replicas"));
}

void describe(call& call) {
    call.gives_text("json", gputide_forecast_describe, call.handle<const gputide_forecast>("forecast"));
}

void save(call& call) {
    call.gives_text("text", gputide_forecast_save, call.handle<const gputide_forecast>("forecast"));
}

void load(call& call) {
    const std::string text = call.text("text");
    call.works(gputide_forecast_load, call.handle<gputide_forecast>("forecast"), text.data(),
               static_cast<std::int64_t>(text.size()));
}

// ---- plans for GPU nodes, and one poll of a ScaledJob
json summary_json(const gputide_nodes_summary& of) {
    return {{"errors", of.errors},
            {"warnings", of.warnings},
            {"nodes_to_add", json_integer(of.nodes_to_add)},
            {"nodes_to_remove", json_integer(of.nodes_to_remove)},
            {"pods_pending", json_integer(of.pods_pending)},
            {"pods_on_existing", json_integer(of.pods_on_existing)},
            {"pods_on_new", json_integer(of.pods_on_new)},
            {"pods_left", json_integer(of.pods_left)}};
}

void plan_nodes(call& call) {
    const std::string text = call.text("text");
    const std::string state = call.text("state");
    auto summary = sized<gputide_nodes_summary>();
    gputide_text plan{nullptr, 0};
    gputide_text next{nullptr, 0};
    if (call.works(gputide_nodes_plan, text.data(), static_cast<std::int64_t>(text.size()),
                   state.empty() ? nullptr : state.data(), static_cast<std::int64_t>(state.size()),
                   call.integer("now_ms"), &summary, &plan, &next)) {
        call.result["summary"] = summary_json(summary);
        call.put_text("json", plan);
        call.put_text("state", next);
    }
    gputide_text_free(&plan);
    gputide_text_free(&next);
}

void decide_scaled_job(call& call) {
    const std::string manifest = call.text("text");
    const std::string seen = call.text("seen");
    gputide_text decision{nullptr, 0};
    if (call.works(gputide_scaled_job_decide, manifest.data(), static_cast<std::int64_t>(manifest.size()),
                   call.options(), seen.data(), static_cast<std::int64_t>(seen.size()), &decision)) {
        call.put_text("decision", decision);
    }
    gputide_text_free(&decision);
}

// ---- samples of GPUs, and what a workload needs
gputide_rightsize* handle_of(const call& request) { return request.handle<gputide_rightsize>("rightsize"); }

void open_rightsize(call& request) {
    const std::string text = request.text("settings");
    request.opens(gputide_rightsize_free, gputide_rightsize_open, text.data(), static_cast<std::int64_t>(text.size()),
                  request.options());
}

void describe_rightsize(call& request) { request.gives_text("json", gputide_rightsize_describe, handle_of(request)); }

void number_of(call& request) {
    const std::string name = request.text("name");
    std::uint32_t number = 0;
    if (request.works(gputide_rightsize_container, handle_of(request), name.c_str(), &number))
        request.result["number"] = number;
}

void add_samples(call& request) {
    const std::vector<gputide_usage_sample> samples = usage_samples_in(request.object("samples"));
    std::uint32_t counted = 0;
    if (request.works(gputide_rightsize_add, handle_of(request), samples.data(),
                      static_cast<std::uint32_t>(sizeof(gputide_usage_sample)),
                      static_cast<std::uint32_t>(samples.size()), &counted))
        request.result["counted"] = counted;
}

void recommend(call& request) {
    request.gives_text("json", gputide_rightsize_recommend, handle_of(request), request.uint32("container"),
                       request.integer("now_ms"));
}

void fit(call& request) {
    request.gives_text("json", gputide_rightsize_fit, handle_of(request), request.integer("memory_bytes"),
                       real_in(request.object("util_percent")));
}

void save_usage(call& request) {
    request.gives_text("text", gputide_rightsize_save, handle_of(request), request.uint32("container"),
                       request.integer("now_ms"));
}

void load_usage(call& request) {
    const std::string text = request.text("text");
    request.works(gputide_rightsize_load, handle_of(request), request.uint32("container"), text.data(),
                  static_cast<std::int64_t>(text.size()));
}

}  // namespace

std::vector<call_entry> plan_calls() {
    return {{"series.new", {}, &new_series},
            {"series.add", {"series"}, &add_values},
            {"series.add_replicas", {"series"}, &add_replicas},
            {"series.read", {"series"}, &read_series},
#ifndef GPUTIDE_PURE_ONLY
            {"series.fetch", {"series", "scaler"}, &fetch_series},
#endif
            {"series.write", {"series"}, &write_series},
            {"series.describe", {"series"}, &describe_series},
            {"replay.open", {}, &open_replay},
            {"replay.run", {"replay", "series"}, &run_replay},
            {"replay.record", {"replay"}, &record_moment},
            {"replay.report", {"replay"}, &report_replay},
            {"forecast.open", {}, &open_forecast},
            {"forecast.add", {"forecast"}, &add},
            {"forecast.floor", {"forecast"}, &floor},
            {"forecast.charge", {"forecast"}, &charge},
            {"forecast.describe", {"forecast"}, &describe},
            {"forecast.save", {"forecast"}, &save},
            {"forecast.load", {"forecast"}, &load},
            {"nodes.plan", {}, &plan_nodes},
            {"scaled.job_decide", {}, &decide_scaled_job},
            {"rightsize.open", {}, &open_rightsize},
            {"rightsize.describe", {"rightsize"}, &describe_rightsize},
            {"rightsize.container", {"rightsize"}, &number_of},
            {"rightsize.add", {"rightsize"}, &add_samples},
            {"rightsize.recommend", {"rightsize"}, &recommend},
            {"rightsize.fit", {"rightsize"}, &fit},
            {"rightsize.save", {"rightsize"}, &save_usage},
            {"rightsize.load", {"rightsize"}, &load_usage}};
}

}  // namespace conformance
