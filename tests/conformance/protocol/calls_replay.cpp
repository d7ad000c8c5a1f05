// Section 10 of gputide.h: recorded series and replays.
#include "protocol/call.hpp"

#include <algorithm>
#include <stdexcept>

namespace conformance {
namespace {

constexpr const gputide_cancel* no_cancel = nullptr;

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

}  // namespace

std::vector<call_entry> replay_calls() {
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
            {"replay.report", {"replay"}, &report_replay}};
}

}  // namespace conformance
